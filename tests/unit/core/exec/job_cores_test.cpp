// Real makes under the jobserver of a job. A target says that it has started and waits until the test lets
// one go on; nothing here waits for time to pass.
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/exec/jobserver.h"
#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

class Makes : public testing::TestWithParam<SandboxRoot> {
 protected:
  Makes() {
    std::ofstream(f.folder / "build/Makefile") << "all: a b c\n"
                                                  "a b c:\n"
                                                  "\t@echo start-$@; read x < gate; echo end-$@\n";
    EXPECT_EQ(::mkfifo((f.folder / "build/gate").c_str(), 0666), 0);
    ::chmod((f.folder / "build/gate").c_str(), 0666);
    gate = UniqueFd(::open((f.folder / "build/gate").c_str(), O_RDWR | O_CLOEXEC));
  }
  JobSpec make(std::uint32_t cores, std::uint32_t most, CoreSharing sharing = CoreSharing::pipe) const {
    auto job = ExecutorFixture::spec({"make"});
    job.sandbox = GetParam();
    job.sharing = sharing;
    job.limits.cores = cores;
    job.most_cores = most;
    return job;
  }
  void let_one_end() const { EXPECT_EQ(::write(gate.get(), "x\n", 2), 2); }
  std::size_t count(std::string_view word) const {
    std::size_t found = 0;
    for (auto at = sink.text.find(word); at != sink.text.npos; at = sink.text.find(word, at + 1)) ++found;
    return found;
  }
  bool wait_for(std::string_view word, std::size_t times) {
    return f.run_until([&] { return count(word) >= times || sink.ends > 0; }) && count(word) >= times;
  }
  bool end() {
    for (int i = 0; i < 3; ++i) let_one_end();
    return f.wait_end(sink) && sink.result.ending == Ending::succeeded;
  }

  ExecutorFixture f;
  RecordingSink sink;
  UniqueFd gate;
};

TEST_P(Makes, one_that_gets_a_core_more_starts_a_command_more) {
  const auto id = f.start(make(1, 3), sink);
  ASSERT_TRUE(wait_for("start-", 1)) << sink.text;
  f.executor->set_cores(id, 3);
  ASSERT_TRUE(wait_for("start-", 3)) << sink.text;
  EXPECT_EQ(count("end-"), 0u);
  EXPECT_TRUE(end()) << sink.text;
  EXPECT_EQ(sink.text.find("warning"), std::string::npos) << sink.text;
}

TEST_P(Makes, cores_in_use_come_back_with_the_next_command_that_ends_and_not_before) {
  const auto id = f.start(make(1, 2), sink);
  f.executor->set_cores(id, 2);
  ASSERT_TRUE(wait_for("start-", 2)) << sink.text;
  f.executor->set_cores(id, 1);
  EXPECT_TRUE(sink.cores_left.empty());
  let_one_end();
  ASSERT_TRUE(f.run_until([&] { return !sink.cores_left.empty() || sink.ends > 0; }));
  EXPECT_EQ(sink.cores_left, std::vector<std::uint32_t>{1});
  EXPECT_EQ(count("start-"), 2u) << "the third has to wait: " << sink.text;
  let_one_end();
  ASSERT_TRUE(wait_for("start-", 3)) << sink.text;
  EXPECT_TRUE(end());
}

TEST_P(Makes, cores_that_nobody_uses_come_back_at_once) {
  auto job = make(1, 4);
  job.steps = {RunStep{{"sh", "-c", "echo start-; read x < gate"}}};
  const auto id = f.start(job, sink);
  f.executor->set_cores(id, 4);
  ASSERT_TRUE(wait_for("start-", 1));
  f.executor->set_cores(id, 2);
  EXPECT_EQ(sink.cores_left, std::vector<std::uint32_t>{2});
  EXPECT_TRUE(end());
}

TEST_P(Makes, a_fixed_number_of_cores_needs_nobody_to_pass_tokens_on) {
  f.start(make(2, 0), sink);
  ASSERT_TRUE(wait_for("start-", 2)) << sink.text;
  let_one_end();
  ASSERT_TRUE(wait_for("start-", 3)) << sink.text;
  EXPECT_TRUE(end());
}

TEST_P(Makes, one_core_is_one_command_at_a_time) {
  f.start(make(1, 0), sink);
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(wait_for("start-", i)) << sink.text;
    EXPECT_EQ(count("start-"), i);
    EXPECT_EQ(count("end-"), i - 1);
    let_one_end();
  }
  EXPECT_TRUE(f.wait_end(sink));
}

TEST_P(Makes, a_killed_step_takes_no_token_from_the_next_one) {
  auto job = make(2, 4);
  ASSERT_EQ(::mkfifo((f.folder / "build/kill").c_str(), 0666), 0);
  ::chmod((f.folder / "build/kill").c_str(), 0666);
  const UniqueFd kill(::open((f.folder / "build/kill").c_str(), O_RDWR | O_CLOEXEC));
  // The first make dies with two commands running; all that they held is there for the second one.
  job.steps = {RunStep{{"sh", "-c", "make & read x < kill; kill -9 $!; true"}},
               WriteStep{"build/between", "x", false}, RunStep{{"make"}}};
  f.start(job, sink);
  ASSERT_TRUE(wait_for("start-", 2)) << sink.text;
  ASSERT_EQ(::write(kill.get(), "x\n", 2), 2);
  ASSERT_TRUE(wait_for("start-", 4)) << sink.text;
  EXPECT_TRUE(end()) << sink.text;
}

TEST_P(Makes, a_job_that_is_killed_ends_and_tells_of_no_cores_any_more) {
  const auto id = f.start(make(1, 3), sink);
  f.executor->set_cores(id, 3);
  ASSERT_TRUE(wait_for("start-", 3)) << sink.text;
  f.executor->stop(id, StopReason::cancelled, {});
  f.executor->set_cores(id, 1);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
}

TEST_P(Makes, a_fifo_is_found_by_its_name) {
  auto job = make(2, 0, CoreSharing::fifo);
  job.steps = {RunStep{
      {"sh", "-c",
       "path=${MAKEFLAGS##*fifo:}; head -c1 \"$path\"; echo; printf + > \"$path\"; head -c1 \"$path\""}}};
  f.start(job, sink);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.text, "+\n+");
}

TEST_P(Makes, flags_of_the_user_are_kept) {
  auto job = make(1, 2);
  job.environment.insert(job.environment.begin(), {"MAKEFLAGS", "s"});
  job.steps = {RunStep{{"sh", "-c", "echo \"$MAKEFLAGS\""}}};
  f.start(job, sink);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.text, "s -j --jobserver-fds=14,15 --jobserver-auth=14,15\n");
}

TEST_P(Makes, a_job_that_shares_nothing_sees_nothing_of_it) {
  auto job = make(2, 0, CoreSharing::none);
  job.steps = {RunStep{{"sh", "-c", "echo \"[$MAKEFLAGS]\"; ls /proc/self/fd"}}};
  f.start(job, sink);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.text.substr(0, 3), "[]\n");
  EXPECT_EQ(sink.text.find("14"), std::string::npos) << sink.text;
}

INSTANTIATE_TEST_SUITE_P(, Makes, testing::Values(SandboxRoot::none, SandboxRoot::host),
                         [](const auto& root) {
                           return root.param == SandboxRoot::none ? "bare" : "sandboxed";
                         });

TEST(JobCores, a_job_without_a_jobserver_is_pinned_and_tells_at_once) {
  ExecutorFixture f;
  RecordingSink sink;
  auto job = ExecutorFixture::shell("echo here; read x < gate; nproc");
  ASSERT_EQ(::mkfifo((f.folder / "build/gate").c_str(), 0666), 0);
  const UniqueFd gate(::open((f.folder / "build/gate").c_str(), O_RDWR | O_CLOEXEC));
  job.sharing = CoreSharing::affinity;
  job.limits.cores = 1;
  job.most_cores = 2;
  const auto id = f.start(job, sink);
  f.executor->set_cores(id, 2);
  ASSERT_TRUE(f.wait_text(sink, "here"));
  f.executor->set_cores(id, 1);
  EXPECT_EQ(sink.cores_left, std::vector<std::uint32_t>{1});
  ASSERT_EQ(::write(gate.get(), "x\n", 2), 2);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.text, "here\n1\n");
}

}  // namespace
}  // namespace weir
