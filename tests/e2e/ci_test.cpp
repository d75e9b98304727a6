// weir in CI: what is printed, what GitHub and GitLab make of it, and the JUnit report.
#include <algorithm>

#include "tests/e2e/project_texts.h"
#include "tests/e2e/shared_project.h"
#include "tests/support/faulty_server.h"
#include "tests/support/github_runner.h"
#include "tests/support/junit_file.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::string kCiHead = "weir = 1\n[retry]\ndelay = \"1ms\"\n[project]\nname = \"t\"\n";

bool is_stamped(const std::string& line) {
  const std::string form = "00:00:00Z ";
  return line.size() >= form.size() &&
         std::equal(form.begin(), form.end(), line.begin(),
                    [](char wanted, char c) { return wanted == '0' ? c >= '0' && c <= '9' : wanted == c; });
}

class Ci : public testing::Test {
 protected:
  // Without a sandbox, which is all the same to reports.
  Finished run(const std::string& elements, std::vector<std::string> more = {}, Stdout out = Stdout::pipe) {
    project_.file("weir.toml", kCiHead + elements);
    std::vector<std::string> words{"build", "--sandbox", "none", "--on-error", "continue"};
    words.insert(words.end(), more.begin(), more.end());
    return weir(project_, words, out);
  }
  std::string path(const std::string& name) const { return project_.path() + "/" + name; }
  JunitFile junit() const {
    JunitFile file(path("junit.xml"));
    EXPECT_EQ(file.complaint(), "") << content(path("junit.xml"));
    return file;
  }
  TempProject project_;
};

const std::string kBroken =
    R"(i=0; while [ $i -lt 100 ]; do echo "line $i"; i=$((i+1)); done; printf '\033[31mmain.c:3:5: error: 100%%, bad\033[0m\n'; )"
    R"(i=100; while [ $i -lt 200 ]; do echo "line $i"; i=$((i+1)); done; exit 3)";

TEST_F(Ci, lines_with_the_time_of_day_no_escape_byte_and_failed_logs_in_full_at_the_end) {
  const auto result = run(
      script("a", "echo fine") + script("b", kBroken) + script("c", "true", "depends = [\"b\"]"), {"--ci"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(says(result.err, "\x1b")) << result.err;
  for (const auto& line : lines_of(result.err)) EXPECT_TRUE(is_stamped(line)) << line;
  EXPECT_TRUE(says(result.err, "run 1 of t: weir build, ")) << result.err;
  EXPECT_TRUE(says(result.err, "done      build a")) << result.err;
  const auto headline = result.err.find("FAILED    build b"), log = result.err.find("===== log of build b"),
             summary = result.err.find("failed    build b");
  ASSERT_TRUE(headline < log && log < summary && summary != std::string::npos) << result.err;
  EXPECT_FALSE(says(result.err.substr(headline, log - headline), "line 50")) << "an excerpt at once";
  const auto whole = result.err.substr(log, summary - log);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(says(whole, "| line " + std::to_string(i) + "\n")) << i;
  EXPECT_TRUE(says(whole, "| main.c:3:5: error: 100%, bad\n")) << whole;
  EXPECT_TRUE(says(result.err.substr(summary), "not done  c: a dependency failed (b)")) << result.err;
}

TEST_F(Ci, the_environment_asks_for_it_too_even_on_a_terminal) {
  const std::pair<const char*, bool> values[] = {{"CI=true", true},       {"CI=1", true},
                                                 {"CI=woodpecker", true}, {"CI=false", false},
                                                 {"CI=0", false},         {"CI=", false}};
  for (const auto& [variable, ci] : values) {
    TempProject own;
    own.set(variable);
    own.file("weir.toml", kCiHead + script("a", "true"));
    const auto result = weir(own, {"build", "--sandbox", "none"}, Stdout::terminal);
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(says(result.err, "Z run 1 of t"), ci) << variable << result.err;
  }
}

TEST_F(Ci, quiet_and_verbose_count) {
  const auto a = script("a", "true");
  EXPECT_EQ(run(a, {"--ci", "-q"}).err, "");
  EXPECT_TRUE(says(run(a, {"--ci", "-v"}).err, "skip      build a: cached"));
}

TEST_F(Ci, a_failed_log_of_many_megabytes_has_both_ends_and_weir_stays_small) {
  const auto small = run(script("a", "echo first; exit 1"), {"--ci"});
  const auto result =
      run(script("a", "echo first; head -c 60000000 /dev/zero | tr '\\0' x; echo; echo last; exit 1"),
          {"--ci", "--junit", path("junit.xml")});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(small.exit, 1);
  EXPECT_LT(result.peak_bytes, small.peak_bytes + 30'000'000) << "a line of 60 MB is never held as a whole";
  const auto log = result.err.substr(std::min(result.err.size(), result.err.find("===== log of build a")));
  EXPECT_TRUE(says(log, "| first\n") && says(log, "| last\n"));
  EXPECT_TRUE(says(log, "47.2 MiB are left out here: the whole log of build a is " + project_.cache()))
      << log.substr(0, 300);
  EXPECT_LT(result.err.size(), 11'000'000u);
}

class CiOnGithub : public Ci {
 protected:
  CiOnGithub() {
    for (const auto* variable : {"CI=true", "GITHUB_ACTIONS=true"}) project_.set(variable);
    project_.set("GITHUB_STEP_SUMMARY=" + path("page.md"));
    project_.set("GITHUB_WORKSPACE=" + project_.path());
  }
  static GithubRunner reader_of(const Finished& result) {
    GithubRunner runner;
    runner.read(result.err);
    EXPECT_FALSE(runner.stopped());
    return runner;
  }
};

TEST_F(CiOnGithub, an_error_points_at_the_line_of_the_source) {
  project_.file("my,src/main.c", "x");
  const auto result = run(script("app", kBroken, "source = [{kind = \"local\", path = \"my,src\"}]"));
  const auto runner = reader_of(result);
  std::vector<GithubRunner::Command> errors;
  for (const auto& command : runner.commands)
    if (command.name == "error") errors.push_back(command);
  ASSERT_EQ(errors.size(), 1u) << result.err;
  EXPECT_EQ(errors[0].properties,
            (std::map<std::string, std::string>{
                {"file", "my,src/main.c"}, {"line", "3"}, {"col", "5"}, {"title", "build app failed"}}));
  EXPECT_TRUE(
      says(errors[0].message, "main.c:3:5: error: 100%, bad\nbuild app: a command failed with exit code 3"))
      << errors[0].message;
  EXPECT_TRUE(says(result.err,
                   "::error file=my%2Csrc/main.c,line=3,col=5,title=build app failed::main.c:3:5: error: "
                   "100%25, bad%0Abuild app: "))
      << result.err;
}

TEST_F(CiOnGithub, a_file_of_the_machine_is_not_pointed_at) {
  const auto result = run(script("app", "echo '/usr/include/stdio.h:3:5: error: no'; exit 1"));
  EXPECT_TRUE(says(result.err, "\n::error title=build app failed::/usr/include/stdio.h:3:5: error: no%0A"))
      << result.err;
}

TEST_F(CiOnGithub, job_output_cannot_inject_workflow_commands) {
  project_.file("evil",
                "::error::evil\n ::set-output name=a::b\n##[add-path]/evil\ntext "
                "##[error]evil\n::stop-commands::x\n::x::\n::endgroup::\n\r::warning::evil\r\n"
                "error: first\r::error::evil\n");
  const auto result =
      run(script("app", "cat evil; exit 1", "source = [{kind = \"local\", path = \"evil\"}]"), {"-v"});
  EXPECT_EQ(result.exit, 1);
  std::string names;
  for (const auto& command : reader_of(result).commands) names += command.name + " ";
  EXPECT_EQ(names, "group endgroup error ") << result.err;
  EXPECT_TRUE(says(result.err, "| ::error::evil\n")) << "it is shown all the same";
  for (const auto& line : reader_of(result).folded)
    EXPECT_FALSE(says(line, "FAILED") || says(line, "| ")) << line;
}

TEST_F(CiOnGithub, the_page_of_the_step_is_appended_to) {
  project_.file("page.md", "# Mine\n");
  run(script("app", "echo 'error: ```` <b>'; exit 1") + script("above", "true", "depends = [\"app\"]") +
      script("other", "true"));
  const auto page = content(path("page.md"));
  EXPECT_TRUE(page.starts_with("# Mine\n### t: weir build failed\n")) << page;
  EXPECT_TRUE(says(page, "| built | 1 |\n| failed | 1 |\n| not finished | 1 |\n")) << page;
  EXPECT_TRUE(says(page, "\n`````text\nerror: ```` <b>\n`````\n")) << page;
  EXPECT_TRUE(says(page, "- 1 not started: a dependency failed \\(app\\)\n")) << page;
  EXPECT_TRUE(says(page, "#### Critical path\n\n1. build ")) << page;
}

TEST_F(Ci, sections_only_on_gitlab) {
  const auto elements =
      script("a", "true") + script("b", "printf 'section_start:1:x\\r\\033[0Kevil\\n'; exit 1");
  EXPECT_FALSE(says(run(elements, {"--ci"}).err, "\x1b"));
  project_.set("GITLAB_CI=true");
  const auto result = run(elements, {"--ci", "--retry-failed", "--force"});
  int open = 0, sections = 0;
  for (const auto& line : lines_of(result.err)) {
    if (line.starts_with("\x1b[0Ksection_start:")) {
      EXPECT_TRUE(
          line.ends_with(":weir_t_" + std::to_string(++sections) + "[collapsed=true]\r\x1b[0Kweir: progress"))
          << line;
      EXPECT_EQ(++open, 1) << line;
    } else if (line.starts_with("\x1b[0Ksection_end:")) {
      EXPECT_TRUE(line.ends_with(":weir_t_" + std::to_string(sections) + "\r\x1b[0K")) << line;
      EXPECT_EQ(--open, 0) << line;
    } else {
      EXPECT_FALSE(says(line, "\x1b") || says(line, "\r")) << line;
      EXPECT_FALSE(open == 1 && (says(line, "FAILED") || says(line, "| "))) << line;
    }
  }
  EXPECT_EQ(open, 0);
  EXPECT_GE(sections, 1);
}

TEST_F(Ci, junit_of_a_build_with_every_kind_of_result) {
  const auto hostile = "\"n\xc3\xbc-\xef\xbf\xbe\xe2\x80\xae\"";
  const auto elements =
      script("made", "true") +
      script("broken", R"(printf '\000\001\033[31m]]>\377<b>&amp;\n\357\277\276 error: x\n'; exit 2)") +
      script("slow", "sleep 1000", "timeout = \"100ms\"") +
      script("above", "true", "depends = [\"broken\"]") + script(hostile, "exit 7");
  ASSERT_EQ(run(elements, {"made"}).exit, 0);
  EXPECT_EQ(run(elements, {"--junit", path("junit.xml")}).exit, 1) << "without --ci too";
  const auto file = junit();
  EXPECT_EQ(file.ask("concat(//testsuites/@tests, ' ', //testsuites/@failures, ' ', //testsuites/@errors, ' "
                     "', //testsuites/@skipped)"),
            "5 2 1 1");
  EXPECT_EQ(file.ask("string(//testcase[@name='made']/system-out)"), "cached");
  EXPECT_EQ(file.ask("string(//testcase[@name='slow']/error/@type)"), "timeout");
  EXPECT_EQ(file.ask("string(//testcase[@name='above']/skipped/@message)"), "a dependency failed (broken)");
  EXPECT_TRUE(says(file.ask("string(//testcase[@name='broken']/failure)"), "]]>"))
      << content(path("junit.xml"));
  EXPECT_EQ(run(elements, {"--junit", path("junit.xml")}).exit, 1);
  EXPECT_EQ(junit().ask("string(//testcase[@name='broken']/failure/@type)"), "not-started")
      << "it failed before with the same inputs";
}

TEST_F(Ci, junit_notes_what_was_tried_again) {
  const std::string body(1000, 'x');
  FaultyServer server;
  project_.file("weir.toml", importing(file_source(server.url("/data"), body)));
  for (const std::string command : {"build", "fetch"}) {
    server.on("/data", {answer::status(503), answer::hang_up(), answer::whole(body)});
    project_.use_cache(path(".cache-" + command));
    ASSERT_EQ(weir(project_, {command, "--junit", path("junit.xml")}).exit, 0);
    const auto file = junit();
    EXPECT_EQ(file.ask("string(//testsuite[@name='fetch']/testcase//property[@name='attempts']/@value)"), "3")
        << command;
    EXPECT_EQ(file.ask("string(//testsuite[@name='fetch']/testcase//property[@name='flaky']/@value)"), "true")
        << command;
    EXPECT_EQ(file.ask("count(//failure) + count(//error)"), "0") << command;
  }
}

TEST_F(Ci, every_command_that_runs_jobs_writes_one) {
  fs::create_directories(path("shared"));
  project_.file("data", "text")
      .file("weir.toml",
            kCiHead + remote_table("dir:" + path("shared")) +
                "[element.app]\nkind = \"script\"\nsource = [{ kind = \"file\", url = \"data\" }]\n"
                "config = { commands = [\"cp data $WEIR_OUT/\"], test = [\"test -f data\"] }\n");
  const auto cases_of = [&](const std::string& command) {
    const auto result = weir(project_, {command, "--junit", path("junit.xml")});
    EXPECT_EQ(result.exit, 0) << command << result.err;
    const auto file = junit();
    std::string cases;
    for (const std::string queue : {"track", "pull", "fetch", "build", "test", "push"}) {
      const auto one = "//testsuite[@name='" + queue + "']/testcase";
      if (file.ask("count(" + one + ")") == "0") continue;
      cases +=
          queue +
          (file.ask("string(" + one + "//property[@name='cached']/@value)") == "true" ? ":cached " : " ");
    }
    EXPECT_EQ(file.ask("count(//failure) + count(//error) + count(//skipped)"), "0") << command;
    return cases;
  };
  EXPECT_EQ(cases_of("track"), "track ");
  EXPECT_EQ(cases_of("fetch"), "fetch ");
  EXPECT_EQ(cases_of("fetch"), "fetch:cached ");
  EXPECT_EQ(cases_of("build"), "build push ");
  EXPECT_EQ(cases_of("test"), "build:cached test ");
  EXPECT_EQ(cases_of("test"), "build:cached test:cached ");
  EXPECT_EQ(cases_of("push"), "push:cached ");
  project_.use_cache(path(".cache-of-another"));
  EXPECT_EQ(cases_of("pull"), "pull ");
  EXPECT_EQ(cases_of("pull"), "pull:cached ");
}

TEST_F(Ci, junit_is_written_when_a_run_is_interrupted) {
  const std::pair<int, int> signals[] = {{SIGINT, 130}, {SIGTERM, 143}};
  for (const auto& [signal, exit] : signals) {
    fs::remove(path("junit.xml"));
    project_.file("weir.toml",
                  kCiHead + script("a", "echo here; sleep 1000") + script("b", "true", "depends = [\"a\"]"));
    WeirProcess process(project_,
                        {"build", "--sandbox", "none", "--events", "-", "--junit", path("junit.xml")});
    ASSERT_NE(process.wait_for_line("job.process"), "");
    process.signal(signal);
    EXPECT_EQ(process.wait().exit, exit);
    const auto file = junit();
    EXPECT_EQ(file.ask("count(//testcase[@name='a']/skipped)"), "1") << content(path("junit.xml"));
    EXPECT_EQ(file.ask("string(//testsuite/properties/property[@name='result']/@value)"), "cancelled");
    EXPECT_EQ(file.ask("count(//failure) + count(//error)"), "0");
  }
}

TEST_F(Ci, a_junit_file_that_cannot_be_written_is_exit_2_before_anything_runs) {
  for (const auto& file : {path("no/such/junit.xml"), project_.path(), std::string("/proc/junit.xml")}) {
    const auto result = run(script("a", "true"), {"--junit", file});
    EXPECT_EQ(result.exit, 2) << file;
    EXPECT_TRUE(says(result.err, "the JUnit report cannot be written to " + file)) << result.err;
    EXPECT_FALSE(fs::exists(project_.cache() + "/projects")) << "nothing was run";
  }
}

}  // namespace
}  // namespace weir::test
