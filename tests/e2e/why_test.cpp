// weir why: the cause of a build, with what it was and what it is.
#include <filesystem>
#include <fstream>

#include "core/store/digest.h"
#include "tests/e2e/git_repository.h"
#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

std::string digest(const std::string& text) { return store::digest_of(text).hex().substr(0, 16); }

constexpr auto kWhyHead = "weir = 1\n[project]\nname = \"why\"\n";
// base: lines of its text without remarks; app: what base says, and a text of its own.
constexpr auto kWhyElements = R"(
[element.base]
kind = "script"
source = [{kind = "local", path = "base"}]
config.commands = ["grep -v '^#' text > $WEIR_OUT/base"]
[element.app]
kind = "script"
depends = ["base"]
source = [{kind = "local", path = "src"}]
config.commands = ["cat /weir/base main.c > $WEIR_OUT/app"]
)";

class WhyAsked : public ::testing::Test {
 protected:
  WhyAsked() {
    project_.file("weir.toml", kWhyHead + std::string(kWhyElements))
        .file("base/text", "base\n")
        .file("src/main.c", "one\n");
  }
  std::string why(const std::string& element, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"why", element});
    const auto result = weir(project_, std::move(more));
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.out;
  }
  void one_element(const std::string& above, const std::string& lines) {
    project_.file("weir.toml", "weir = 1\n" + above +
                                   "[project]\nname = \"why\"\n[element.app]\nkind = \"script\"\n" + lines);
  }
  TempProject project_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_SILENT_OF(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

TEST_F(WhyAsked, an_edited_file_is_named_before_and_after_the_build) {
  ASSERT_EQ(build(project_).built, "app base");
  project_.file("src/main.c", "two\n");
  const auto cause = "  file src/main.c: changed from " + digest("one\n") + " to " + digest("two\n") + "\n";
  const auto before = why("app");
  EXPECT_EQ(before.substr(0, before.find('\n') + 1 + cause.size()), "app has to be built:\n" + cause);
  EXPECT_SAYS(before, "compared with what was built in run 1\n");
  EXPECT_SAYS(before, "not in the local store, neither by its recipe key " + shown(project_, "app", "key"));
  EXPECT_SILENT_OF(before, "base has to be built");

  ASSERT_EQ(build(project_).built, "app");
  const auto after = why("app");
  EXPECT_SAYS(after, "app is cached, key " + shown(project_, "app", "key") + "\n");
  EXPECT_SAYS(after, "it was last built in run 2 because:\n" + cause);
}

TEST_F(WhyAsked, a_variable_of_the_environment_has_both_values) {
  const std::string commands = "config.commands = [\"echo $CFLAGS > $WEIR_OUT/x\"]\n";
  one_element("", commands + "env = {CFLAGS = \"-O1\"}\n");
  ASSERT_EQ(build(project_).built, "app");
  one_element("", commands + "env = {CFLAGS = \"-O2\"}\n");
  EXPECT_SAYS(why("app"), "app has to be built:\n  environment CFLAGS: from \"-O1\" to \"-O2\"\n");
}

TEST_F(WhyAsked, a_variable_of_the_project_is_named_beside_what_came_of_it) {
  const auto with = [&](const std::string& opt, const std::string& other) {
    one_element("[variables]\nopt = \"" + opt + "\"\nflags = \"%{opt} -g\"\nunused = \"" + other +
                    "\"\n[env]\nLEVEL = \"%{opt}\"\n",
                "config.commands = [\"echo %{flags} > $WEIR_OUT/x\"]\n");
  };
  with("-O1", "a");
  ASSERT_EQ(build(project_).built, "app");
  with("-O2", "b");
  const std::string causes =
      "  variable \"opt\": from \"-O1\" to \"-O2\"\n  environment LEVEL: from \"-O1\" to \"-O2\"\n"
      "  configuration commands #1: from \"echo -O1 -g > $WEIR_OUT/x\" to \"echo -O2 -g > $WEIR_OUT/x\"\n";
  const auto before = why("app");
  EXPECT_SAYS(before, "app has to be built:\n" + causes);
  EXPECT_SILENT_OF(before, "unused");
  ASSERT_EQ(build(project_).built, "app");
  EXPECT_SAYS(why("app"), "it was last built in run 2 because:\n" + causes);
}

// What a tool said of itself is kept beside the store; with other words there it is another version for weir.
TEST_F(WhyAsked, another_version_of_a_tool_has_both) {
  one_element("[sandbox]\nhost-tools = [\"grep\"]\n", "config.commands = [\"true\"]\n");
  ASSERT_EQ(build(project_).built, "app");
  const auto path = project_.cache() + "/host-tools";
  std::string kept, line, version;
  for (std::ifstream file(path); std::getline(file, line);) {
    const auto at = line.rfind('\t') + 1;
    if (line.find("/grep\t") != line.npos) {
      version = line.substr(at);
      line.replace(at, line.npos, "grep 99.1");
    }
    kept += line + "\n";
  }
  ASSERT_NE(version, "");
  std::ofstream(path) << kept;
  EXPECT_SAYS(why("app"), "app has to be built:\n  tool grep: from \"" + version + "\" to \"grep 99.1\"\n");
}

TEST_F(WhyAsked, a_dependency_that_came_out_the_same_is_no_reason) {
  build(project_);
  const auto output = shown(project_, "base", "output").substr(0, 16);
  project_.file("base/text", "# a remark\nbase\n");
  const auto before = why("app");
  EXPECT_SAYS(before,
              "app has to be built:\n  dependency base has to be built: see weir why base\n    file "
              "base/text: changed from " +
                  digest("base\n") + " to " + digest("# a remark\nbase\n") + "\n");
  EXPECT_SAYS(before, "if they come out as they were, app is not built again\n");
  EXPECT_SAYS(before, "its resolved key is known when its dependencies are there\n");

  ASSERT_EQ(build(project_).built, "base");
  const auto after = why("app");
  EXPECT_SAYS(after, "app is cached");
  EXPECT_SAYS(after, "it was built in run 1, for the first time in this project\n");
  EXPECT_SAYS(after, "dependency base was built again in run 2 and came out the same (" + output +
                         "): app was not\n");
}

TEST_F(WhyAsked, a_dependency_that_came_out_differently_has_both_outputs_and_its_own_reason) {
  build(project_);
  const auto one = shown(project_, "base", "output").substr(0, 16);
  project_.file("base/text", "other\n");
  ASSERT_EQ(build(project_, {"base"}).built, "base");
  const auto two = shown(project_, "base", "output").substr(0, 16);
  const auto cause = "  dependency base: its output changed from " + one + " to " + two +
                     "\n    it was last built in run 2 because:\n      file base/text: changed from " +
                     digest("base\n") + " to " + digest("other\n") + "\n";
  EXPECT_SAYS(why("app"), "app has to be built:\n" + cause);
  ASSERT_EQ(build(project_).built, "app");
  EXPECT_SAYS(why("app"), "it was last built in run 3 because:\n" + cause);
}

TEST_F(WhyAsked, a_chain_is_followed_down_to_its_root) {
  project_.file("weir.toml", kWhyHead + std::string(kWhyElements) + R"(
[element.top]
kind = "script"
build-depends = ["app"]
config.commands = ["cat /weir/app > $WEIR_OUT/top"]
[element.all]
kind = "stack"
depends = ["top"]
)");
  ASSERT_EQ(build(project_, {"all"}).finished.exit, 0);
  project_.file("base/text", "other\n");
  const auto root = "file base/text: changed from " + digest("base\n") + " to " + digest("other\n") + "\n";
  const auto top = why("top");
  EXPECT_SAYS(top,
              "top has to be built:\n  dependency app has to be built: see weir why app\n"
              "    dependency base has to be built: see weir why base\n      " +
                  root);
  EXPECT_SAYS(top, "  dependency base has to be built: see above\n");
  const auto all = why("all");
  EXPECT_SAYS(all, "all is cached");
  EXPECT_SAYS(all, "run-time dependency top has to be built: see weir why top\n");
  EXPECT_SAYS(all, root);
}

TEST_F(WhyAsked, an_answer_ends_after_twenty_elements) {
  std::string text = std::string(kWhyHead) +
                     "[element.app]\nkind = \"script\"\nconfig.commands = [\"true\"]\nbuild-depends = [";
  for (int i = 10; i < 40; ++i) text += "\"part" + std::to_string(i) + "\", ";
  text += "]\n";
  for (int i = 10; i < 40; ++i)
    text += "[element.part" + std::to_string(i) +
            "]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"src\"}]\n";
  project_.file("weir.toml", text);
  ASSERT_EQ(build(project_).finished.exit, 0);
  project_.file("src/main.c", "two\n");
  const auto answer = why("app");
  EXPECT_SAYS(answer,
              "  dependency part28 has to be built: see weir why part28\n    file src/main.c: changed from ");
  EXPECT_SILENT_OF(answer, "part29");
  EXPECT_SAYS(answer, "  and 11 more dependencies\n");
}

TEST_F(WhyAsked, a_source_that_was_tracked_again_has_both_refs) {
  const GitRepository remote(project_.path() + "/remote");
  const auto one = remote.commit("file", "one");
  project_.file("weir.toml", kWhyHead + std::string(R"([element.app]
kind = "import"
source = [{kind = "git", url = "remote"}]
[element.user]
kind = "script"
depends = ["app"]
config.commands = ["true"]
)"));
  const auto untracked = why("app");
  EXPECT_SAYS(untracked, "app has to be built: it was never built in this project\n");
  EXPECT_SAYS(untracked, "its sources have no ref yet: weir track app\n");
  EXPECT_SAYS(why("user"),
              "its key is known when all that it is built with is tracked: weir track --deps all user\n");
  EXPECT_SAYS(why("user", {"--json"}), R"("key":null,"resolved_key":null,)");

  ASSERT_EQ(build(project_, {"--track"}).finished.exit, 0);
  const auto two = remote.commit("file", "two");
  ASSERT_EQ(weir(project_, {"track"}).exit, 0);
  const auto cause = "source 1 (git): retracked from " + one + " to " + two + "\n";
  EXPECT_SAYS(why("app"), "app has to be built:\n  " + cause);
  EXPECT_SAYS(why("user"), "  dependency app has to be built: see weir why app\n    " + cause);
  ASSERT_EQ(build(project_).finished.exit, 0);
  EXPECT_SAYS(why("app"), "because:\n  " + cause);
  std::filesystem::remove(project_.path() + "/weir.lock");
  EXPECT_SAYS(why("app"), "app has to be built:\n  source 1 (git): from " + two + " to no ref\n");
}

TEST_F(WhyAsked, one_that_was_never_built) {
  const auto text = why("app");
  EXPECT_SAYS(text,
              "app has to be built: it was never built in this project\n  its dependencies have to be built "
              "first: base\n");
  EXPECT_SAYS(text, "not in the local store by its recipe key " + shown(project_, "app", "key"));
  build(project_);
  EXPECT_SAYS(why("app"), "it was built in run 1, for the first time in this project\n");
}

TEST_F(WhyAsked, an_artifact_that_was_removed) {
  build(project_);
  const auto key = shown(project_, "base", "key");
  ASSERT_EQ(weir(project_, {"cache", "rm", key}).exit, 0);
  EXPECT_EQ(
      why("base"),
      "base has to be built:\n  the same was built in run 1, but its artifact is no longer in the store "
      "(weir cache rm or gc)\nnot in the local store, by its key " +
          key + "\n");
  ASSERT_EQ(build(project_, {"base"}).built, "base");
  EXPECT_SAYS(why("base"),
              "it was last built in run 2: the same had been built before, but was no longer in the store\n");
}

TEST_F(WhyAsked, one_that_failed_before) {
  one_element("", "config.commands = [\"true\"]\n");
  build(project_);
  one_element("", "config.commands = [\"exit 3\"]\n");
  ASSERT_EQ(build(project_).finished.exit, 1);
  const auto text = why("app");
  EXPECT_SAYS(text, "app failed before with the same inputs");
  EXPECT_SAYS(text, "weir log app shows what it wrote; weir build --retry-failed app tries again\n");
  EXPECT_SAYS(text, "  configuration commands #1: from \"true\" to \"exit 3\"\n");
  EXPECT_SAYS(text, "compared with what was built in run 1\n");
}

TEST_F(WhyAsked, one_that_somebody_forced) {
  build(project_);
  build(project_, {"--force", "app"});
  EXPECT_SAYS(why("app"), "it was last built in run 2: it was asked for with --force\n");
}

TEST_F(WhyAsked, a_revert_is_cached_and_says_what_the_last_run_had) {
  build(project_);
  project_.file("src/main.c", "two\n");
  build(project_);
  project_.file("src/main.c", "one\n");
  const auto cause = "  file src/main.c: changed from " + digest("two\n") + " to " + digest("one\n") + "\n";
  EXPECT_SAYS(why("app"), "the last run used another one, built in run 2; against that:\n" + cause);
  ASSERT_EQ(build(project_).built, "");
  EXPECT_SAYS(why("app"),
              "it was built in run 1, and run 3 found it in the store; against the one before:\n" + cause);
}

TEST_F(WhyAsked, old_sources_that_gc_took_can_only_be_told_as_a_whole) {
  build(project_);
  project_.file("src/main.c", "two\n");
  build(project_);
  ASSERT_EQ(weir(project_, {"cache", "gc"}).exit, 0);
  const auto text = why("app");
  EXPECT_SAYS(text, "it was last built in run 2 because:\n  source 1 (local) content: from ");
}

TEST_F(WhyAsked, what_was_remembered_and_is_damaged_costs_an_answer_only) {
  build(project_);
  for (const auto& entry : std::filesystem::directory_iterator(project_.cache() + "/projects"))
    std::ofstream(entry.path() / "last-built") << "garbage";
  EXPECT_SAYS(why("app"), "it was found in the store; no run of this project has used it yet\n");
  EXPECT_EQ(build(project_).finished.exit, 0);
}

TEST_F(WhyAsked, json_for_scripts) {
  build(project_);
  const auto output = shown(project_, "base", "output").substr(0, 16);
  project_.file("src/main.c", "two\n");
  const auto text = why("app", {"--json"});
  EXPECT_SAYS(text,
              R"({"v":1,"element":"app","state":"buildable","ground":"changed","run":1,"used":null,"key":")" +
                  shown(project_, "app", "key"));
  EXPECT_SAYS(text, R"("causes":[{"what":"file","name":"src/main.c","from":")" + digest("one\n") +
                        R"(","to":")" + digest("two\n") + "\"}]");
  EXPECT_SAYS(text, R"("missed":[{"cache":"local","by":"recipe","key":")" + shown(project_, "app", "key"));
  project_.file("base/text", "other\n");
  EXPECT_SAYS(why("app", {"--json"}),
              R"({"what":"dependency","name":"base","from":")" + output + R"(","to":"not built yet"})");
}

TEST_F(WhyAsked, an_unknown_element_is_a_usage_error_with_a_suggestion) {
  const auto result = weir(project_, {"why", "aap"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_SAYS(result.err, "did you mean \"app\"?");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(weir(project_, {"why", "*"}).exit, 2);
  EXPECT_EQ(weir(project_, {"why"}).exit, 2);
}

// The library is replaced by one of the same kind and version.
struct ReplannedProject : TempProject {
  ReplannedProject() {
    file("weir.toml", "weir = 1\n[plugins]\npath = [\"plugins\"]\n[element.app]\nkind = \"says\"\n");
    std::filesystem::create_directories(path() + "/plugins");
  }
  void use(const std::string& word) const {
    const auto library = path() + "/plugins/element-says.so";
    std::filesystem::remove(library);
    std::filesystem::copy_file(WEIR_TEST_PLUGINS "/" + word + "/element-says.so", library);
  }
};

TEST(ChangedPlan, other_commands_of_the_same_version_are_built_and_explained) {
  ReplannedProject project;
  project.use("one");
  ASSERT_EQ(build(project, {"app"}).built, "app");
  EXPECT_EQ(build(project, {"app"}).built, "");
  project.use("two");
  const auto told = weir(project, {"why", "app"}).out;
  EXPECT_SAYS(told, "command #1: from");
  EXPECT_SAYS(told, "echo one > $WEIR_OUT/word");
  EXPECT_SAYS(told, "echo two > $WEIR_OUT/word");
  EXPECT_EQ(build(project, {"app"}).built, "app");
  ASSERT_EQ(weir(project, {"checkout", "app", project.path() + "/out"}).exit, 0);
  std::ifstream file(project.path() + "/out/word");
  std::string word;
  EXPECT_TRUE(file >> word && word == "two") << word;
  project.use("one");
  EXPECT_EQ(build(project, {"app"}).built, "") << "cached under its own key";
}

TEST(ChangedPlan, a_failure_of_other_commands_is_not_remembered_against_these) {
  ReplannedProject project;
  project.use("broken");
  ASSERT_EQ(build(project, {"app"}).finished.exit, 1);
  EXPECT_EQ(build(project, {"app"}).built, "") << "remembered";
  project.use("one");
  const auto run = build(project, {"app"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "app");
}

}  // namespace
}  // namespace weir::test
