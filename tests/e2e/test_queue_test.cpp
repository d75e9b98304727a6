// The queue `test`: a plugin of weir, and `weir test`.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/eventually.h"
#include "tests/e2e/project_texts.h"
#include "tests/e2e/run_facts.h"
#include "tests/support/temporary_folder.h"

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

class PushGate : public TestQueue {
 protected:
  void write_shared(const std::string& test, const std::string& remote = "push = true\n") {
    write(remote_table() + remote + kRow, test);
  }
  std::string remote_table() const { return "[[remote]]\nurl = \"dir:" + shelf_.path() + "\"\n"; }
  bool is_pushed() const { return std::filesystem::exists(shelf_ / "ac"); }
  Finished push() { return weir(project, {"push", "app", "--deps", "none", "--events", "-"}); }

 private:
  TemporaryFolder shelf_;
};

TEST_F(PushGate, weir_push_refuses_what_failed_its_test_and_names_the_remedy) {
  write_shared("exit 3");
  ASSERT_EQ(run({"build", "app", "--no-push"}).exit, 1);
  const auto refused = push();
  EXPECT_EQ(refused.exit, 1) << refused.err;
  EXPECT_EQ(jobs_of(refused), "");
  EXPECT_FALSE(is_pushed());
  EXPECT_NE(refused.err.find("the queue \"test\" has not succeeded for this artifact"), std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("run `weir build app`"), std::string::npos) << refused.err;
  EXPECT_EQ(refused.err.find("--retry-failed"), std::string::npos) << refused.err;
}

TEST_F(PushGate, an_artifact_of_a_run_without_the_queue_is_pushed_when_it_was_tested) {
  write("", kGood);
  ASSERT_EQ(run({"build", "app"}).exit, 0);
  write_shared(kGood);
  EXPECT_EQ(push().exit, 1) << "cached, and never tested";
  EXPECT_FALSE(is_pushed());
  EXPECT_EQ(jobs_of(run({"test", "app"})), "test app");
  EXPECT_FALSE(is_pushed()) << "weir test pushes nothing";
  const auto pushed = push();
  EXPECT_EQ(pushed.exit, 0) << pushed.err;
  EXPECT_EQ(jobs_of(pushed), "push app");
  EXPECT_TRUE(is_pushed());
}

// It does not wait for that test, and nobody who wants to test waits for the push.
TEST_F(PushGate, weir_push_refuses_what_is_being_tested) {
  write_shared("touch started; until test -e go; do sleep 0.01; done");
  WeirProcess test(project, {"test", "app", "--no-push"});
  std::filesystem::path started;
  const auto is_testing = [&] {
    started = find_below(project.cache() + "/projects", "started");
    return !started.empty();
  };
  ASSERT_TRUE(eventually(is_testing));
  const auto refused = push();
  EXPECT_EQ(refused.exit, 1) << refused.out << refused.err;
  EXPECT_NE(refused.err.find("the queue \"test\" has not succeeded"), std::string::npos) << refused.err;
  std::ofstream(started.replace_filename("go"));
  EXPECT_EQ(test.wait().exit, 0);
  EXPECT_EQ(push().exit, 0);
}

TEST_F(PushGate, a_success_counts_for_the_same_commands_alone) {
  write_shared(kGood);
  ASSERT_EQ(run({"build", "app", "--no-push"}).exit, 0);
  write_shared("false");
  EXPECT_EQ(push().exit, 1);
  EXPECT_FALSE(is_pushed());
  write_shared(kGood);
  EXPECT_EQ(push().exit, 0);
  EXPECT_TRUE(is_pushed());
}

// Something that tests may depend on and no key knows: a limit of the process that starts weir.
class LimitedFiles {
 public:
  LimitedFiles() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{rlim_t{1} << 40, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~LimitedFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(PushGate, a_forced_test_that_fails_withdraws_the_success_before_it) {
  write_shared("test $(ulimit -f) = unlimited");
  ASSERT_EQ(run({"test", "app"}).exit, 0);
  {
    const LimitedFiles limited;
    EXPECT_EQ(jobs_of(run({"test", "app"})), "") << "passed before";
    EXPECT_EQ(run({"test", "app", "--force"}).exit, 1);
    const auto refused = push();
    EXPECT_EQ(refused.exit, 1) << refused.err;
    EXPECT_FALSE(is_pushed());
    EXPECT_NE(refused.err.find("the queue \"test\" has not succeeded"), std::string::npos) << refused.err;
    EXPECT_EQ(run({"test", "app"}).exit, 1) << "tested again, and not taken for passed";
  }
  EXPECT_EQ(jobs_of(run({"test", "app"})), "test app");
  EXPECT_EQ(push().exit, 0);
}

// "app" uses "helper" at run time alone, so its artifact does not depend on it and its test does.
TEST_F(PushGate, a_success_counts_for_the_same_runtime_dependencies_alone) {
  const auto write_helper = [&](const std::string& word) { project.file("helper/word", word + "\n"); };
  const auto write_app = [&](const std::string& remote) {
    project.file(
        "weir.toml",
        kTestHead + remote + kRow +
            "[element.helper]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"helper\" }]\n"
            "config.to = \"share\"\n"
            "[element.app]\nkind = \"script\"\nruntime-depends = [\"helper\"]\n"
            "config = { commands = [\"mkdir -p $WEIR_OUT/bin\", \"echo hi > $WEIR_OUT/bin/app\"], "
            "test = [\"grep -q good $WEIR_PREFIX/share/word\"] }\n");
  };
  write_helper("good");
  write_app("");
  EXPECT_EQ(jobs_of(run({"build"})), "build app, build helper, test app");
  EXPECT_EQ(jobs_of(run({"build"})), "");
  write_helper("bad");
  const auto changed = run({"build"});
  EXPECT_EQ(changed.exit, 1) << changed.err;
  EXPECT_EQ(jobs_of(changed), "build helper, test app");
  write_app(remote_table() + "push = true\n");
  const auto push_app = [&] { return weir(project, {"push", "app", "--deps", "none", "--events", "-"}); };
  EXPECT_EQ(push_app().exit, 1);
  EXPECT_EQ(run({"build"}).exit, 1);
  EXPECT_EQ(jobs_of(run({"build", "--on-error", "continue"})), "test app") << "and no push of app";
  write_helper("good");
  EXPECT_EQ(push_app().exit, 0) << "it passed with this one";
}

TEST_F(TestQueue, the_hint_about_a_missing_sandbox_can_be_written_into_the_project) {
  write("", kGood);
  project.file("empty/file", "");
  project.set("PATH=" + project.path() + "/empty");
  const auto failed = run({"build", "lib"});
  const std::string line = "root = \"none\"";
  EXPECT_NE(failed.out.find("set `root = \\\"none\\\"` in [sandbox] of weir.toml"), std::string::npos)
      << failed.out << failed.err;
  write("[sandbox]\n" + line + "\n", kGood);
  EXPECT_EQ(run({"build", "lib"}).exit, 0);
}

}  // namespace
}  // namespace weir::test
