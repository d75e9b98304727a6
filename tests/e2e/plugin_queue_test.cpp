// A queue of a plugin of somebody else (tests/plugins/scan.cpp) between fetch and build.
#include <gtest/gtest.h>

#include "tests/e2e/project_texts.h"

namespace weir::test {
namespace {

std::string project_text(const std::string& config, const std::string& more = {}) {
  return "weir = 1\n[plugins]\npath = [\"" WEIR_TEST_PLUGINS
         "\"]\n"
         "[pipeline]\nqueues = [\"pull\", \"fetch\", \"scan\", \"build\", \"push\"]\n[queue.scan]\n" +
         config + "\n[element.a]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"a\" }]\n" + more +
         "[element.b]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"b\" }]\n";
}

// "build a, scan a": the jobs that succeeded, sorted.
std::string done_by(const Finished& finished) { return jobs_with(finished, "job.end", "succeeded"); }

class PluginQueueRun : public testing::Test {
 protected:
  PluginQueueRun() { project.file("a/file", "secret\n").file("b/file", "open\n"); }
  Finished build(const std::string& text) {
    project.file("weir.toml", text);
    return weir(project, {"build", "--on-error", "continue", "--events", "-", "**"});
  }
  TempProject project;
};

TEST_F(PluginQueueRun, what_it_finds_is_not_built_and_the_rest_is_scanned_once) {
  const auto first = build(project_text("word = \"secret\""));
  EXPECT_EQ(first.exit, 1) << first.err;
  EXPECT_EQ(done_by(first), "build b, scan b");
  EXPECT_EQ(failures_of(first), "command");
  EXPECT_NE(first.out.find("\"tokens\":{\"scanner\":1}"), std::string::npos)
      << "its own token, one at a time";
  project.file("a/file", "open now\n");
  EXPECT_EQ(done_by(build(project_text("word = \"secret\""))), "build a, scan a");
  EXPECT_EQ(done_by(build(project_text("word = \"secret\""))), "");
}

TEST_F(PluginQueueRun, says_itself_what_a_failure_means) {
  const auto lax = build(project_text("word = \"secret\"\nstrict = false"));
  EXPECT_EQ(lax.exit, 0) << lax.err;
  EXPECT_EQ(done_by(lax), "build a, build b, scan b");
}

TEST_F(PluginQueueRun, has_an_opinion_of_elements) {
  const auto skipped = build(project_text("word = \"secret\"", "public = { scan = \"no\" }\n"));
  EXPECT_EQ(skipped.exit, 0) << skipped.err;
  EXPECT_NE(skipped.out.find("it does not want to be scanned"), std::string::npos);
  project.file("a/file", "other\n");
  const auto never = build(project_text("word = \"secret\"", "public = { scan = \"forbidden\" }\n"));
  EXPECT_EQ(never.exit, 1) << never.err;
  EXPECT_NE(never.err.find("it must not be built"), std::string::npos) << never.err;
}

TEST_F(PluginQueueRun, its_configuration_is_checked_at_its_place) {
  const auto wrong = build(project_text("wrd = \"x\""));
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("weir.toml:7:1: error: queue \"scan\": unknown key \"wrd\""), std::string::npos)
      << wrong.err;
  EXPECT_NE(wrong.err.find("\"word\" is missing"), std::string::npos) << wrong.err;
}

TEST_F(PluginQueueRun, a_library_that_is_named_comes_before_those_of_later_places) {
  std::filesystem::copy_file(WEIR_TEST_PLUGINS "/queue-scan.so", project.path() + "/any.so");
  project.set("WEIR_LOG=debug");
  auto text = project_text("word = \"x\"");
  text.replace(text.find("path = ["), 8, "path = [\"any.so\", ");
  const auto done = build(text);
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.err.find("any.so"), std::string::npos) << done.err;
  EXPECT_EQ(done.err.find("queue-scan.so"), std::string::npos) << done.err;
  text.replace(text.find("any.so"), 6, "non.so");
  const auto missing = build(text);
  EXPECT_EQ(missing.exit, 2);
  EXPECT_NE(missing.err.find("non.so"), std::string::npos) << missing.err;
}

TEST_F(PluginQueueRun, its_token_is_counted_as_the_project_says) {
  const auto none = build(project_text("word = \"x\"\n[resources]\nscanner = 0"));
  EXPECT_EQ(none.exit, 2);
  EXPECT_NE(none.err.find("element \"a\" needs 1 of scanner"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace weir::test
