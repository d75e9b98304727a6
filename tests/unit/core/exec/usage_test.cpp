// CPU time and peak memory of children whose use is known, in and out of the sandbox.
#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

class MeasuredUsage : public ::testing::TestWithParam<SandboxRoot> {
 protected:
  MeasuredUsage() { std::filesystem::copy_file(EXEC_TEST_CHILD, f.folder / "build/child"); }
  JobResult run(std::vector<std::string> argv) {
    auto job = f.spec(std::move(argv));
    job.sandbox = GetParam();
    const auto result = f.run(job);
    EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence << f.text;
    return result;
  }
  ExecutorFixture f;
};

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

TEST_P(MeasuredUsage, of_one_process) {
  const auto result = run({"./child", "use", "200", "1", "500"});
  EXPECT_NEAR(seconds(result.usage.cpu), 0.5, 0.05);
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

TEST_P(MeasuredUsage, of_two_processes_is_their_sum) {
  const auto result = run({"./child", "use", "100", "2", "300"});
  EXPECT_NEAR(seconds(result.usage.cpu), 0.6, 0.06);
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

// Each has it for a few milliseconds, less than lies between two looks.
TEST_P(MeasuredUsage, of_memory_that_two_processes_had_only_for_a_moment) {
  const auto result = run({"./child", "spike", "100", "2", "300"});
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

// The second process has the same memory, not as much again, until it runs something else.
TEST_P(MeasuredUsage, of_a_child_made_by_vfork_is_not_counted_twice) {
  const auto result = run({"./child", "vfork", "100", "1", "300"});
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 100, 10);
}

TEST_P(MeasuredUsage, of_an_orphan_in_another_session_counts_too) {
  // Together, and neither is left behind: whoever outlives the step is killed with it. The orphan keeps its
  // memory longer than the other one takes to start, also on a busy machine.
  const auto result =
      run({"sh", "-c",
           "mkfifo ready done; setsid -f sh -c './child use 100 1 1800 > ready; echo > done'; "
           "read word < ready; ./child use 100 1 600; read word < done"});
  EXPECT_NEAR(seconds(result.usage.cpu), 2.4, 0.24);
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

TEST_P(MeasuredUsage, belongs_to_its_step) {
  auto job = f.spec({"./child", "use", "150", "1", "300"});
  job.steps.push_back(RunStep{{"true"}});
  job.sandbox = GetParam();
  const auto result = f.run(job);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_NEAR(seconds(result.steps[0].usage.cpu), 0.3, 0.03);
  EXPECT_LT(seconds(result.steps[1].usage.cpu), 0.05);
  EXPECT_LT(mebibytes(result.steps[1].usage.peak_bytes), 20);
}

INSTANTIATE_TEST_SUITE_P(All, MeasuredUsage, ::testing::Values(SandboxRoot::none, SandboxRoot::host),
                         [](const auto& tested) {
                           return tested.param == SandboxRoot::none ? "bare" : "sandbox";
                         });

}  // namespace
}  // namespace weir
