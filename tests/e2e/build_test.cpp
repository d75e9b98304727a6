// weir build, as a user meets it: results, exit codes, events, bad input.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/project_texts.h"
#include "tests/e2e/run_facts.h"
#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

std::string script_of(const std::string& name, const std::string& commands, const std::string& more = "") {
  return "[element." + name + "]\nkind = \"script\"\nconfig.commands = [" + commands + "]\n" + more + "\n";
}

TEST(Build, elements_see_their_sources_and_their_dependencies) {
  for (const auto* sandbox : {"host", "none"}) {
    TempProject project;
    project.file(
        "weir.toml",
        kHead +
            script_of("lib", R"("cp word.txt $WEIR_OUT/word")", "source = [{kind=\"local\", path=\"src\"}]") +
            script_of("app", R"("cat ${CPATH%/include}/word > $WEIR_OUT/said")", "depends = [\"lib\"]"));
    project.file("src/word.txt", "hello\n");
    const auto result = weir(project, {"build", "app", "--sandbox", sandbox});
    ASSERT_EQ(result.exit, 0) << sandbox << result.err;
    EXPECT_NE(result.err.find("succeeded: 2 built"), std::string::npos) << result.err;
    const auto written = weir(project, {"checkout", "app", project.path() + "/out", "--sandbox", sandbox});
    ASSERT_EQ(written.exit, 0) << written.err;
    EXPECT_EQ(content(project.path() + "/out/said"), "hello\n");
  }
}

TEST(Build, events_tell_the_run_from_start_to_end) {
  TempProject project;
  project.file("weir.toml", kHead + script_of("a", R"("echo hi")"));
  const auto result = weir(project, {"-q", "build", "--events", "-"});
  ASSERT_EQ(result.exit, 0) << result.err;
  std::vector<std::string> names;
  std::size_t seq = 0;
  for (std::size_t from = 0; from < result.out.size();) {
    const auto end = result.out.find('\n', from);
    const auto line = result.out.substr(from, end - from);
    EXPECT_NE(line.find("\"seq\":" + std::to_string(++seq) + ","), std::string::npos) << line;
    const auto at = line.find("\"ev\":\"") + 6;
    names.push_back(line.substr(at, line.find('"', at) - at));
    from = end + 1;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"run.start", "run.plan", "element.state", "element.state",
                                             "element.state", "job.start", "job.process", "job.step",
                                             "job.end", "element.state", "element.state", "run.end"}));
  const auto kept =
      content(project.cache() + "/projects/" +
              std::filesystem::directory_iterator(project.cache() + "/projects")->path().filename().string() +
              "/runs/1/events.jsonl");
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), static_cast<std::ptrdiff_t>(names.size()));
}

TEST(Build, events_that_cannot_be_written_are_exit_4_also_when_nothing_changed) {
  TempProject project;
  project.file("weir.toml", kHead + script_of("a", R"("echo hi")"));
  for (const auto* run : {"first", "unchanged"}) {
    const auto result = weir(project, {"build", "--events", "/dev/full"});
    EXPECT_EQ(result.exit, 4) << run << result.err;
    EXPECT_NE(result.err.find("writing events to /dev/full: No space left on device"), std::string::npos)
        << run << result.err;
    EXPECT_NE(result.err.find("succeeded"), std::string::npos) << run << result.err;
  }
}

TEST(Build, a_failed_command_is_exit_1_with_the_end_of_its_log) {
  TempProject project;
  project.file("weir.toml", kHead + script_of("bad", R"("printf '\\033[31mboom\\033[0m\\n'; exit 7")") +
                                script_of("after", R"("true")", "depends = [\"bad\"]"));
  const auto result = weir(project, {"build", "after"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_NE(result.err.find("exit code 7"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("| boom\n"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("not done  after: a dependency failed (bad)"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
}

TEST(Build, a_build_that_removes_or_replaces_its_install_root_fails_as_its_own_fault) {
  const std::pair<const char*, const char*> cases[] = {
      {"rmdir $WEIR_OUT", "removed"},
      {"rm -rf $WEIR_OUT; echo x > $WEIR_OUT", "replaced by a file"},
      {"rm -rf $WEIR_OUT; ln -s /tmp $WEIR_OUT", "replaced by a symlink"},
  };
  for (const std::string sandbox : {"host", "none"}) {
    for (const auto& [command, said] : cases) {
      TempProject project;
      project.file("weir.toml", kHead + script_of("bad", fmt::format("\"{}\"", command)));
      const auto result = weir(project, {"build", "--sandbox", sandbox});
      EXPECT_EQ(result.exit, 1) << sandbox << command << result.err;
      EXPECT_NE(result.err.find(said), std::string::npos) << sandbox << command << result.err;
      EXPECT_NE(result.err.find("$WEIR_OUT"), std::string::npos) << sandbox << command << result.err;
    }
  }
  for (const auto* command :
       {"rm -rf $DESTDIR", "rm -rf $DESTDIR; echo x > $DESTDIR", "rm -rf $DESTDIR; ln -s /tmp $DESTDIR"}) {
    TempProject project;
    project.file("weir.toml", kHead + script_of("bad", fmt::format("\"{}\"", command)));
    const auto result = weir(project, {"build", "--sandbox", "none"});
    EXPECT_EQ(result.exit, 1) << command << result.err;
    EXPECT_NE(result.err.find("$DESTDIR was re"), std::string::npos) << command << result.err;
  }
}

TEST(Build, files_that_lose_their_setuid_bit_are_named) {
  for (const std::string sandbox : {"host", "none"}) {
    TempProject project;
    project.file("weir.toml",
                 kHead + script("one", "touch $WEIR_OUT/su; chmod 4755 $WEIR_OUT/su") +
                     script("many", "cd $WEIR_OUT; for f in a b c d e; do touch $f; chmod g+s $f; done") +
                     script("none", "touch $WEIR_OUT/plain"));
    const auto run = weir(project, {"build", "--events", "-", "--sandbox", sandbox});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_TRUE(says(run.err,
                     "warning: element \"one\": setuid, setgid and sticky bits are not kept; "
                     "1 file lost them: weir/su\n"))
        << run.err;
    EXPECT_TRUE(says(run.err, "5 files lost them: weir/a, weir/b, weir/c and 2 more")) << run.err;
    EXPECT_FALSE(says(run.err, "element \"none\"")) << run.err;
    EXPECT_TRUE(says(run.out, "\"ev\":\"diagnostic\"")) << run.out;
  }
}

TEST(Build, a_time_out_is_exit_5) {
  TempProject project;
  project.file("weir.toml", kHead + script_of("slow", R"("sleep 1000")", "timeout = \"50ms\""));
  const auto result = weir(project, {"build"});
  EXPECT_EQ(result.exit, 5) << result.err;
  EXPECT_NE(result.err.find("ran longer than"), std::string::npos) << result.err;
}

TEST(Build, on_error_continue_builds_what_it_can) {
  TempProject project;
  project.file("weir.toml", kHead + script_of("bad", R"("false")") + script_of("good", R"("true")"));
  const auto result = weir(project, {"build", "-j", "1", "--on-error", "continue"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_NE(result.err.find("failed: 1 built, 1 failed"), std::string::npos) << result.err;
}

TEST(Build, declared_tokens_and_lanes_hold_in_a_real_run) {
  TempProject project;
  std::string text = kHead + "[resources]\nlicense = 1\n";
  for (const char* name : {"a", "b", "c"}) text += script_of(name, R"("true")", "needs = {license = 1}");
  project.file("weir.toml", text);
  const auto result = weir(project, {"-q", "build", "-j", "3", "--events", "-"});
  ASSERT_EQ(result.exit, 0) << result.err;
  int running = 0;
  for (std::size_t from = 0; from < result.out.size();) {
    const auto end = result.out.find('\n', from);
    const auto line = result.out.substr(from, end - from);
    if (line.find("\"job.start\"") != std::string::npos) {
      EXPECT_EQ(++running, 1) << line;
    }
    if (line.find("\"job.end\"") != std::string::npos) --running;
    from = end + 1;
  }
}

// A job whose store was still being asked about it was not ready when the one before it ended, and others got
// its token.
TEST(Build, what_has_the_longest_way_to_go_is_not_overtaken_when_it_becomes_ready) {
  TempProject project;
  std::string text = "weir = 1\n[project]\nname = \"t\"\n[sandbox]\nroot = \"none\"\n";
  const auto add = [&](const std::string& name, const std::string& depends) {
    text += "[element." + name + "]\nkind = \"script\"\nenv = { N = \"" + name +
            "\" }\nconfig.commands = [\"true\"]\n" + depends;
  };
  add("a1", "");
  for (int i = 2; i <= 5; ++i)
    add("a" + std::to_string(i), "depends = [\"a" + std::to_string(i - 1) + "\"]\n");
  for (int i = 1; i <= 3; ++i) add("other" + std::to_string(i), "");
  project.file("weir.toml", text);
  const auto run = weir(project, {"-q", "build", "-j", "1", "--events", "-"});
  ASSERT_EQ(run.exit, 0) << run.err;
  std::string started;
  for (const auto& line : lines_of(run.out))
    if (field(line, "ev") == "job.start") started += field(line, "element") + " ";
  // What is ready before the chain is known may come first; the last of the chain is as urgent as the others.
  EXPECT_NE(started.find("a1 a2 a3 a4 "), started.npos) << started;
}

TEST(Build, hooks_get_events_and_a_bad_hook_hurts_nobody) {
  TempProject project;
  project.file("weir.toml", kHead + "[hooks]\non-complete = [\"cat > '" + project.path() +
                                "/heard'\", \"exit 3\", \"/no/such\"]\n" + script_of("a", R"("true")"));
  const auto result = weir(project, {"build"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(content(project.path() + "/heard")
                .find(R"("ev":"job.end","job":0,"element":"a","queue":"build","result":"succeeded")"),
            std::string::npos);
}

struct BadInput {
  const char* what;
  std::string text;  // of weir.toml; empty: there is none
  std::vector<std::string> arguments;
  std::vector<std::string> said;
};

TEST(Build, bad_input_is_exit_2_with_its_place_and_nothing_is_run) {
  const std::vector<BadInput> all = {
      {"no project", "", {"build"}, {"weir.toml", "-C"}},
      {"broken toml", kHead + "[element.a\n", {"build"}, {"weir.toml:4:"}},
      {"unknown key", kHead + script_of("a", "", "dependz = []"), {"build"}, {"weir.toml:7:1", "depends"}},
      {"unknown dependency",
       kHead + script_of("lib", "") + script_of("a", "", "depends = [\"libb\"]"),
       {"build"},
       {"libb", "\"lib\""}},
      {"ring",
       kHead + script_of("a", "", "depends = [\"b\"]") + script_of("b", "", "depends = [\"a\"]"),
       {"build"},
       {"weir.toml:7", "weir.toml:11"}},
      {"unknown kind", kHead + "[element.a]\nkind = \"skript\"\n", {"build"}, {"weir.toml:5", "script"}},
      {"wrong type", kHead + script_of("a", "1"), {"build"}, {"weir.toml:6"}},
      {"source outside",
       kHead + script_of("a", "", "source = [{kind=\"local\", path=\"../x\"}]"),
       {"build"},
       {"leaves the project"}},
      {"too many tokens",
       kHead + script_of("a", "", "needs = {cache = 100000}") + "[resources]\ncache = 2\n",
       {"build"},
       {"weir.toml:7:10", "cache"}},
      {"unknown target", kHead + script_of("lib", ""), {"build", "libb"}, {"libb", "lib"}},
      {"unknown command", kHead, {"biuld"}, {"\"biuld\"", "weir build"}},
      {"unknown option", kHead, {"build", "--frobnicate"}, {"--frobnicate"}},
      {"bad number", kHead + script_of("a", ""), {"build", "-j", "many"}, {"-j", "many"}},
      {"no jobs", kHead + script_of("a", ""), {"build", "-j", "0"}, {"-j", "\"0\""}},
      {"bad policy", kHead + script_of("a", ""), {"build", "--on-error", "quitt"}, {"quit"}},
      {"no command", kHead, {}, {"build"}},
  };
  for (const auto& bad : all) {
    TempProject project;
    if (!bad.text.empty()) project.file("weir.toml", bad.text);
    const auto result = weir(project, bad.arguments);
    EXPECT_EQ(result.exit, 2) << bad.what << "\n" << result.err;
    EXPECT_EQ(result.out, "") << bad.what;
    for (const auto& text : bad.said)
      EXPECT_NE(result.err.find(text), std::string::npos) << bad.what << ": " << text << "\n" << result.err;
    EXPECT_FALSE(std::filesystem::exists(project.cache() + "/projects") &&
                 result.err.find("start ") != std::string::npos)
        << bad.what;
  }
}

TEST(Build, help_and_version_are_exit_0_on_standard_output) {
  TempProject project;
  EXPECT_EQ(weir(project, {"--version"}).exit, 0);
  const auto help = weir(project, {"build", "--help"});
  EXPECT_EQ(help.exit, 0);
  EXPECT_NE(help.out.find("--on-error"), std::string::npos);
}

}  // namespace
}  // namespace weir::test
