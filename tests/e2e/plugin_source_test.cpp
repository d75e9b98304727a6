// A source kind of somebody else (tests/plugins/strange.cpp) that leaves something else than it should.
#include <gtest/gtest.h>

#include "tests/e2e/project_texts.h"

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

}  // namespace
}  // namespace weir::test
