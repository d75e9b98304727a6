// A queue of a plugin of somebody else (tests/plugins/scan.cpp) between fetch and build.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/project_texts.h"
#include "tests/e2e/run_facts.h"
#include "tests/support/temporary_folder.h"

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

// The job of the queue is the same in both cases; only what the plugin makes of its end is not. Behind
// `build` a cached artifact does not skip the queue.
TEST_F(PluginQueueRun, a_success_under_another_configuration_does_not_count) {
  const auto behind_build = [](const std::string& config) {
    auto text = project_text(config);
    constexpr std::string_view kBefore = "\"scan\", \"build\"";
    return text.replace(text.find(kBefore), kBefore.size(), "\"build\", \"scan\"");
  };
  const auto first = build(behind_build("word = \"nowhere\""));
  EXPECT_EQ(done_by(first), "build a, build b, scan a, scan b") << first.err;
  const auto refused = build(behind_build("word = \"nowhere\"\nrefuse = true"));
  EXPECT_EQ(refused.exit, 1) << refused.out;
  EXPECT_EQ(done_by(refused), "scan a, scan b");
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

// `scan` before `build` and a remote: nothing is pushed that has not been scanned.
class ScanGate : public PluginQueueRun {
 protected:
  // "a" has a secret.
  std::string shared(const std::string& config, const std::string& remote = "push = true\n") const {
    return project_text(config) + "[[remote]]\nurl = \"dir:" + shelf_.path() + "\"\n" + remote;
  }
  // The same elements in a row without the queue, and without a remote: all of them are cached then.
  void build_unscanned() {
    auto text = project_text("word = \"secret\"");
    const auto begin = text.find("[plugins]"), end = text.find("[element.a]");
    text.erase(begin, end - begin);
    const auto built = build(text);
    ASSERT_EQ(built.exit, 0) << built.err;
    ASSERT_EQ(done_by(built), "build a, build b");
  }
  bool is_pushed() const { return std::filesystem::exists(shelf_ / "ac"); }
  Finished push(std::vector<std::string> more) {
    more.insert(more.begin(), {"push", "--events", "-"});
    return weir(project, std::move(more));
  }

 private:
  TemporaryFolder shelf_;
};

TEST_F(ScanGate, weir_push_refuses_a_cached_artifact_of_what_was_not_scanned) {
  ASSERT_NO_FATAL_FAILURE(build_unscanned());
  project.file("weir.toml", shared("word = \"secret\""));
  const auto refused = push({"a", "b"});
  EXPECT_EQ(refused.exit, 1) << refused.out << refused.err;
  EXPECT_EQ(done_by(refused), "");
  EXPECT_FALSE(is_pushed());
  EXPECT_NE(refused.err.find("the queue \"scan\" has not succeeded for these sources"), std::string::npos)
      << refused.err;
}

TEST_F(ScanGate, a_build_scans_what_is_cached_before_it_pushes_it) {
  ASSERT_NO_FATAL_FAILURE(build_unscanned());
  const auto scanned = build(shared("word = \"secret\""));
  EXPECT_EQ(scanned.exit, 1) << scanned.err;
  EXPECT_EQ(done_by(scanned), "push b, scan b");
  EXPECT_EQ(push({"b"}).exit, 0);
  EXPECT_EQ(push({"a"}).exit, 1) << "scanned, and found wanting";
  EXPECT_EQ(done_by(build(shared("word = \"other\""))), "push a, scan a") << "b is known to be there";
}

TEST_F(ScanGate, a_build_that_may_not_push_scans_nothing_that_is_cached) {
  ASSERT_NO_FATAL_FAILURE(build_unscanned());
  EXPECT_EQ(done_by(build(shared("word = \"secret\"", ""))), "");
}

TEST_F(ScanGate, an_artifact_that_was_scanned_by_another_run_is_pushed) {
  ASSERT_EQ(build(project_text("word = \"secret\"\nstrict = true")).exit, 1);
  project.file("weir.toml", shared("word = \"secret\"\nstrict = true"));
  const auto pushed = push({"b"});
  EXPECT_EQ(pushed.exit, 0) << pushed.err;
  EXPECT_EQ(done_by(pushed), "push b");
  project.file("b/file", "open, and secret\n");
  EXPECT_EQ(push({"b"}).exit, 1) << "not built from these sources";
}

// The scan of "a" fails, and the plugin lets it pass.
TEST_F(ScanGate, what_was_let_pass_without_a_success_is_not_pushed) {
  const auto built = build(shared("word = \"secret\"\nstrict = false"));
  EXPECT_EQ(built.exit, 0) << built.err;
  EXPECT_EQ(done_by(built), "build a, build b, push b, scan b");
  const auto refused = push({"a"});
  EXPECT_EQ(refused.exit, 1) << refused.err;
}

TEST_F(PluginQueueRun, its_token_is_counted_as_the_project_says) {
  const auto none = build(project_text("word = \"x\"\n[resources]\nscanner = 0"));
  EXPECT_EQ(none.exit, 2);
  EXPECT_NE(none.err.find("element \"a\" needs 1 of scanner"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace weir::test
