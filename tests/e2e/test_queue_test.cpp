// The queue `test`: a plugin of weir, and `weir test`.
#include <gtest/gtest.h>

#include "tests/e2e/project_texts.h"

namespace weir::test {
namespace {

constexpr char kTestHead[] = "weir = 1\n[project]\nname = \"t\"\ndefault = [\"app\"]\n";
constexpr char kRow[] = "[pipeline]\nqueues = [\"pull\", \"fetch\", \"build\", \"test\", \"push\"]\n";

std::string elements(const std::string& test) {
  return "[element.lib]\nkind = \"script\"\n"
         "config = { commands = [\"mkdir -p $WEIR_OUT/share\", \"echo lib > $WEIR_OUT/share/lib\"], test = "
         "[\"true\"] }\n"
         "[element.app]\nkind = \"script\"\nbuild-depends = [\"lib\"]\nsource = [{ kind = \"local\", path = "
         "\"src\" }]\n"
         "config = { commands = [\"mkdir -p $WEIR_OUT/bin\", \"cp app.sh $WEIR_OUT/bin/app\"], test = [" +
         toml_text(test) + "] }\n";
}

// "build app, test app": the jobs that a run started, sorted; whether a test or the build of another one
// comes first is up to the answers of the store.
std::string jobs_of(const Finished& finished) { return jobs_with(finished, "job.start"); }

class TestQueue : public testing::Test {
 protected:
  TestQueue() { project.file("src/app.sh", "#!/bin/sh\necho hello\n"); }
  void write(const std::string& row, const std::string& test) {
    project.file("weir.toml", kTestHead + row + elements(test));
  }
  Finished run(std::vector<std::string> words) {
    words.insert(words.end(), {"--events", "-", "-j1"});
    return weir(project, std::move(words));
  }
  TempProject project;
};

constexpr char kGood[] =
    "sh $WEIR_PREFIX/bin/app | grep -q hello && test -f app.sh && test -f $WEIR_PREFIX/share/lib";

TEST_F(TestQueue, tests_run_once_behind_build_with_sources_artifact_and_dependencies) {
  write(kRow, kGood);
  const auto first = run({"build"});
  EXPECT_EQ(first.exit, 0) << first.err;
  EXPECT_EQ(jobs_of(first), "build app, build lib, test app, test lib") << first.err;
  EXPECT_EQ(jobs_of(run({"build"})), "");
}

TEST_F(TestQueue, a_failed_test_fails_the_element_and_is_tried_again) {
  write(kRow, "echo broken >&2; exit 3");
  const auto first = run({"build", "--on-error", "continue"});
  EXPECT_EQ(first.exit, 1);
  EXPECT_EQ(failures_of(first), "command");
  EXPECT_NE(first.err.find("broken"), std::string::npos) << first.err;
  EXPECT_EQ(jobs_of(run({"build"})), "test app")
      << "what was built is kept, and what failed is not remembered";
}

TEST_F(TestQueue, other_test_commands_do_not_build_again) {
  write(kRow, kGood);
  ASSERT_EQ(run({"build"}).exit, 0);
  write(kRow, "true");
  EXPECT_EQ(jobs_of(run({"build"})), "test app");
  write(kRow, kGood);
  EXPECT_EQ(jobs_of(run({"build"})), "") << "passed before";
}

TEST_F(TestQueue, weir_test_needs_no_row_and_tests_targets_alone) {
  write("", kGood);
  EXPECT_EQ(jobs_of(run({"build"})), "build app, build lib");
  EXPECT_EQ(jobs_of(run({"test"})), "test app");
  EXPECT_EQ(jobs_of(run({"test"})), "");
  EXPECT_EQ(jobs_of(run({"test", "--force"})), "test app");
  EXPECT_EQ(jobs_of(run({"test", "lib", "app"})), "test lib");
}

TEST_F(TestQueue, an_element_without_tests_is_skipped) {
  project.file("weir.toml", std::string(kTestHead) + kRow + "[element.app]\nkind = \"script\"\n");
  const auto done = run({"build"});
  EXPECT_EQ(done.exit, 0);
  EXPECT_EQ(jobs_of(done), "build app");
  EXPECT_NE(done.out.find("it has no test commands"), std::string::npos);
}

TEST_F(TestQueue, works_without_a_sandbox) {
  write("[sandbox]\nroot = \"none\"\n", kGood);
  const auto done = run({"test"});
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_EQ(jobs_of(done), "build app, build lib, test app");
}

TEST_F(TestQueue, sources_of_a_cached_element_are_brought_for_its_tests) {
  project.file("data/a", "1\n");
  const auto text = [](const std::string& test) {
    return "weir = 1\n[element.app]\nkind = \"script\"\nsource = [{ kind = \"file\", url = \"data/a\", ref = "
           "\"4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865\" }]\nconfig = { commands = "
           "[\"mkdir -p $WEIR_OUT\"], "
           "test = [" +
           toml_text(test) + "] }\n";
  };
  project.file("weir.toml", text("test -f a"));
  ASSERT_EQ(run({"build", "app"}).exit, 0);
  const auto tested = run({"test", "app"});
  EXPECT_EQ(tested.exit, 0) << tested.err;
  EXPECT_EQ(jobs_of(tested), "test app");
}

TEST_F(TestQueue, a_row_that_cannot_work_is_told_with_its_place) {
  const auto told = [&](const std::string& queues) {
    project.file("weir.toml",
                 std::string(kTestHead) + "[pipeline]\nqueues = [" + queues + "]\n" + elements("true"));
    const auto done = run({"build"});
    EXPECT_EQ(done.exit, 2);
    EXPECT_NE(done.err.find("weir.toml:6:"), std::string::npos) << done.err;
    return done.err;
  };
  EXPECT_NE(told("\"fetch\", \"build\", \"tset\"").find("did you mean \"test\"?"), std::string::npos);
  EXPECT_NE(told("\"fetch\", \"biuld\"").find("did you mean \"build\"?"), std::string::npos);
  EXPECT_NE(told("\"test\", \"fetch\", \"build\"").find("cannot come before \"fetch\""), std::string::npos);
  EXPECT_NE(told("\"build\", \"fetch\"").find("cannot come after"), std::string::npos);
  EXPECT_NE(told("\"build\"").find("has no \"fetch\""), std::string::npos);
}

TEST_F(TestQueue, a_table_of_a_queue_is_checked) {
  write(std::string(kRow) + "[queue.test]\nlevel = 1\n", kGood);
  auto done = run({"build"});
  EXPECT_EQ(done.exit, 2);
  EXPECT_NE(done.err.find("the queue test takes no configuration"), std::string::npos) << done.err;
  write(std::string(kRow) + "[queue.scan]\nlevel = 1\n", kGood);
  done = run({"build"});
  EXPECT_EQ(done.exit, 2);
  EXPECT_NE(done.err.find("there is no queue \"scan\" to configure"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace weir::test
