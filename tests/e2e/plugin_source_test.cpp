// What kinds of sources need: tools of this machine; and one of somebody else (tests/plugins/strange.cpp)
// that leaves something else than it should.
#include <gtest/gtest.h>

#include "tests/e2e/git_repository.h"
#include "tests/e2e/project_texts.h"
#include "tests/e2e/run_facts.h"
#include "tests/e2e/search_path.h"

namespace weir::test {
namespace {

Finished built_with(const std::string& config) {
  TempProject project;
  project.file("weir.toml", "weir = 1\n[plugins]\npath = [\"" WEIR_TEST_PLUGINS
                            "\"]\n[element.app]\nkind = \"import\"\n"
                            "source = [{ kind = \"strange\", url = \"x:y\", " +
                                config + " }]\n");
  return weir(project, {"build", "--track", "app"});
}

void expect_fault(const std::string& config, const std::string& words) {
  const auto done = built_with(config);
  EXPECT_EQ(done.exit, 70) << config << "\n" << done.err;
  EXPECT_NE(done.err.find(words), std::string::npos) << config << "\n" << done.err;
}

TEST(PluginSource, works_as_any_other_and_its_commands_start_in_source) {
  const auto done = built_with("gives = \"1\"");
  EXPECT_EQ(done.exit, 0) << done.err;
}

TEST(PluginSource, an_answer_that_is_no_file_is_neither_waited_for_nor_followed) {
  expect_fault("tracks = \"mkfifo $1.track\"", "is no file");
  expect_fault("tracks = \"mkdir $1.track\"", "is no file");
  expect_fault("tracks = \"ln -s /etc/passwd $1.track\"", "is no file");
}

TEST(PluginSource, what_is_fetched_is_a_folder) {
  expect_fault("fetches = \"echo x >$1\"", "what was fetched is no folder");
  expect_fault("fetches = \"ln -s /etc $1\"", "what was fetched is no folder");
  expect_fault("fetches = \"mkfifo $1\"", "what was fetched is no folder");
}

TEST(PluginSource, a_ref_that_cannot_be_is_a_fault_of_the_plugin) {
  expect_fault("gives = \"\"", "answered without a ref");
  expect_fault("gives = \"" + std::string(5000, 'a') + "\"", "a ref of 5000 bytes");
  expect_fault("gives = \"throw\"", "lost my way");
}

class SourceTool : public testing::Test {
 protected:
  SourceTool() : remote_(project_.path() + "/remote") {
    project_.file("empty/file", "");
    project_.file("weir.toml", importing("{ kind = \"git\", url = \"remote\", ref = \"" +
                                         remote_.commit("file", "one") + "\" }"));
  }
  Finished without_git(std::vector<std::string> words) {
    const SearchPath path(project_.path() + "/empty");
    return weir(project_, std::move(words));
  }

  TempProject project_;
  GitRepository remote_;
};

TEST_F(SourceTool, that_is_missing_is_told_before_anything_runs) {
  for (const auto* command : {"build", "fetch"}) {
    const auto told = without_git({command, "--events", "-"});
    EXPECT_EQ(told.exit, 2) << command << told.err;
    EXPECT_EQ(told.out, "") << "no run began";
    EXPECT_NE(told.err.find("weir.toml:6:"), std::string::npos) << told.err;
    EXPECT_NE(told.err.find("the git source of element \"app\" needs \"git\""), std::string::npos)
        << told.err;
    EXPECT_NE(told.err.find("install the package git"), std::string::npos) << told.err;
  }
  project_.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  for (const auto& words : {std::vector<std::string>{"track"}, {"build", "--track"}}) {
    const auto told = without_git(words);
    EXPECT_EQ(told.exit, 2) << told.err;
    EXPECT_NE(told.err.find("needs \"git\""), std::string::npos) << told.err;
  }
}

TEST_F(SourceTool, is_not_missed_where_nothing_is_to_be_fetched) {
  ASSERT_EQ(weir(project_, {"fetch"}).exit, 0);
  const auto fetched = without_git({"fetch"});
  EXPECT_EQ(fetched.exit, 0) << fetched.err;
  ASSERT_EQ(weir(project_, {"build"}).exit, 0);
  for (const auto& words : {std::vector<std::string>{"build"}, {"build", "--events", "-"}}) {
    const auto built = without_git(words);
    EXPECT_EQ(built.exit, 0) << built.err;
  }
}

}  // namespace
}  // namespace weir::test
