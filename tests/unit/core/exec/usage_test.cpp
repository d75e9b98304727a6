// CPU time and peak memory of children whose use is known, in and out of the sandbox. Nothing depends on how
// fast or how busy the machine is: children keep what they have until weir has seen it, and CPU time is
// compared with what the kernel counted for all of them.
#include <sys/resource.h>

#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// Of all descendants that have ended, weir-init included.
Duration cpu_of_children() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

class MeasuredUsage : public ::testing::TestWithParam<SandboxRoot> {
 protected:
  // Some kernels count CPU time in whole ticks, of each process.
  static constexpr Duration kRounding = std::chrono::milliseconds(20);

  MeasuredUsage() {
    std::filesystem::copy_file(EXEC_TEST_CHILD, f.folder / "build/child");
    EXPECT_EQ(::mkfifo((f.folder / "build/gate").c_str(), 0666), 0);
    ::chmod((f.folder / "build/gate").c_str(), 0666);
    gate = UniqueFd(::open((f.folder / "build/gate").c_str(), O_RDWR | O_CLOEXEC));
  }
  // Opens the gate when weir has seen that much memory, but for what the kernel has not added up yet.
  JobResult run(JobSpec job, std::uint64_t seen_mebibytes) {
    job.sandbox = GetParam();
    RecordingSink sink;
    const auto before = cpu_of_children();
    const auto id = f.start(std::move(job), sink);
    EXPECT_TRUE(f.poll_until([&] {
      return sink.ends > 0 ||
             mebibytes(f.executor->usage(id).peak_bytes) > static_cast<double>(seen_mebibytes) * 0.95;
    })) << mebibytes(f.executor->usage(id).peak_bytes);
    gate.reset();
    EXPECT_TRUE(f.wait_end(sink));
    EXPECT_EQ(sink.result.ending, Ending::succeeded) << sink.result.evidence << sink.text;
    f.executor->join();  // weir-init, which may wait for another job, ends as well
    cpu_of_all = cpu_of_children() - before;
    return sink.result;
  }
  JobResult run(std::vector<std::string> argv, std::uint64_t seen_mebibytes) {
    return run(f.spec(std::move(argv)), seen_mebibytes);
  }
  void expect_cpu(Duration measured, Duration burnt) const {
    EXPECT_GE(measured + kRounding, burnt);
    EXPECT_LE(measured, cpu_of_all + kRounding) << "nothing is counted twice";
  }

  ExecutorFixture f;
  UniqueFd gate;
  Duration cpu_of_all{};
};

TEST_P(MeasuredUsage, of_one_process) {
  const auto result = run({"./child", "use", "200", "1", "500"}, 200);
  expect_cpu(result.usage.cpu, std::chrono::milliseconds(500));
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

TEST_P(MeasuredUsage, of_two_processes_is_their_sum) {
  const auto result = run({"./child", "use", "100", "2", "300"}, 200);
  expect_cpu(result.usage.cpu, std::chrono::milliseconds(600));
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

// Each has it for a few milliseconds, less than lies between two looks.
TEST_P(MeasuredUsage, of_memory_that_two_processes_had_only_for_a_moment) {
  const auto result = run({"./child", "spike", "100", "2", "0"}, 200);
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

// The second process has the same memory, not as much again, until it runs something else.
TEST_P(MeasuredUsage, of_a_child_made_by_vfork_is_not_counted_twice) {
  const auto result = run({"./child", "vfork", "100", "1", "300"}, 100);
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 100, 10);
}

// Neither is left behind: whoever outlives the step is killed with it.
TEST_P(MeasuredUsage, of_an_orphan_in_another_session_counts_too) {
  const auto result = run({"sh", "-c",
                           "mkfifo done; setsid -f sh -c './child use 100 1 400; echo > done'; "
                           "./child use 100 1 300; read word < done"},
                          200);
  expect_cpu(result.usage.cpu, std::chrono::milliseconds(700));
  EXPECT_NEAR(mebibytes(result.usage.peak_bytes), 200, 20);
}

TEST_P(MeasuredUsage, belongs_to_its_step) {
  auto job = f.spec({"./child", "use", "150", "1", "300"});
  job.steps.push_back(RunStep{{"true"}});
  const auto result = run(job, 150);
  ASSERT_EQ(result.steps.size(), 2U);
  const auto first = result.steps[0].usage.cpu, second = result.steps[1].usage.cpu;
  expect_cpu(first, std::chrono::milliseconds(300));
  EXPECT_LE(first + second, cpu_of_all + kRounding);
  EXPECT_LT(mebibytes(result.steps[1].usage.peak_bytes), 20);
}

INSTANTIATE_TEST_SUITE_P(All, MeasuredUsage, ::testing::Values(SandboxRoot::none, SandboxRoot::host),
                         [](const auto& tested) {
                           return tested.param == SandboxRoot::none ? "bare" : "sandbox";
                         });

}  // namespace
}  // namespace weir
