#include "core/exec/local_executor.h"

#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

TEST(LocalExecutor, runs_a_command_and_keeps_its_output) {
  ExecutorFixture f;
  const auto result = f.run(f.shell("echo out; echo err >&2; pwd"));
  EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence;
  EXPECT_EQ(f.text, "out\nerr\n" + (f.folder / "build") + "\n");
  EXPECT_EQ(read_file(f.folder / "logs/1.log"), f.text);
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps[0].exit, 0);
  EXPECT_GT(result.usage.peak_bytes, 100'000U);
  EXPECT_GT(result.wall, Duration::zero());
}

TEST(LocalExecutor, environment_is_exactly_the_one_of_the_job) {
  ExecutorFixture f;
  auto job = f.spec({"env"});
  job.environment = {{"A", "1"}, {"PATH", "/usr/bin"}};
  EXPECT_EQ(f.run(job).ending, Ending::succeeded);
  EXPECT_EQ(f.text, "A=1\nPATH=/usr/bin\n");
}

TEST(LocalExecutor, only_the_chosen_descriptors_reach_the_command) {
  ExecutorFixture f;
  EXPECT_EQ(f.run(f.spec({"ls", "/proc/self/fd"})).ending, Ending::succeeded);
  EXPECT_EQ(f.text, "0\n1\n2\n3\n");  // 3 is ls reading the directory
}

TEST(LocalExecutor, signals_and_handlers_are_the_standard_ones) {
  ExecutorFixture f;
  EXPECT_EQ(f.run(f.spec({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"})).ending, Ending::succeeded);
  EXPECT_EQ(f.text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(LocalExecutor, steps_run_in_order_up_to_the_first_that_fails) {
  ExecutorFixture f;
  auto job = f.shell("echo one");
  job.steps.push_back(RunStep{{"sh", "-c", "echo two; exit 7"}});
  job.steps.push_back(RunStep{{"sh", "-c", "echo three"}});
  const auto result = f.run(job);
  EXPECT_EQ(f.text, "one\ntwo\n");
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.exit, 7);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[1].exit, 7);
}

TEST(LocalExecutor, a_signal_is_told_from_an_exit_code) {
  ExecutorFixture f;
  const auto result = f.run(f.shell("kill -ABRT $$"));
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.signal, SIGABRT);
  EXPECT_EQ(result.evidence, "killed by SIGABRT");
}

TEST(LocalExecutor, a_kill_that_weir_did_not_send_is_out_of_memory) {
  ExecutorFixture f;
  const auto result = f.run(f.shell("kill -KILL $$"));
  EXPECT_EQ(result.failure, Failure::oom);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.evidence, "killed by SIGKILL that weir did not send");
}

TEST(LocalExecutor, a_killed_weir_init_is_out_of_memory_and_not_success) {
  ExecutorFixture f;
  RecordingSink sink;
  f.start(f.shell("echo up; exec sleep 1000"), sink);
  ASSERT_TRUE(f.wait_text(sink, "up"));
  ::kill(static_cast<pid_t>(sink.pid), SIGKILL);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.failure, Failure::oom) << sink.result.evidence;
}

TEST(LocalExecutor, a_missing_program_is_the_commands_fault) {
  ExecutorFixture f;
  const auto result = f.run(f.spec({"no-such-program"}));
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.exit, 127);
  EXPECT_EQ(result.evidence, "cannot run 'no-such-program': No such file or directory");
  EXPECT_EQ(f.text, "weir: cannot run 'no-such-program': No such file or directory\n");
}

TEST(LocalExecutor, a_missing_directory_is_named) {
  ExecutorFixture f;
  auto job = f.spec({"true"});
  std::get<RunStep>(job.steps[0]).directory = "build/none";
  const auto result = f.run(job);
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.evidence, "cannot enter the directory 'build/none': No such file or directory");
}

TEST(LocalExecutor, a_file_that_may_not_be_executed_is_exit_126) {
  ExecutorFixture f;
  std::ofstream(f.folder / "build/plain") << "#!/bin/sh\n";
  const auto result = f.run(f.spec({"./plain"}));
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.exit, 126);
}

TEST(LocalExecutor, a_missing_weir_init_is_infra_with_a_remedy) {
  LocalExecutorOptions options;
  options.init = "/nowhere/weir-init";
  ExecutorFixture f(options);
  const auto result = f.run(f.spec({"true"}));
  EXPECT_EQ(result.failure, Failure::infra);
  EXPECT_EQ(result.evidence,
            "starting weir-init (/nowhere/weir-init): No such file or directory; weir-init belongs beside "
            "the weir program");
}

TEST(LocalExecutor, a_missing_bubblewrap_is_infra_with_a_remedy) {
  LocalExecutorOptions options;
  options.bwrap = "/nowhere/bwrap";
  ExecutorFixture f(options);
  auto job = f.spec({"true"});
  job.sandbox = SandboxRoot::host;
  const auto result = f.run(job);
  EXPECT_EQ(result.failure, Failure::infra);
  EXPECT_NE(result.evidence.find("install bubblewrap"), std::string::npos) << result.evidence;
}

TEST(LocalExecutor, a_staged_root_has_nothing_of_the_host) {
  ExecutorFixture f;
  auto job = f.spec({"/usr/bin/true"});
  job.sandbox = SandboxRoot::staged;
  const auto result = f.run(job);
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.exit, 127) << result.evidence;
}

TEST(LocalExecutor, a_job_without_steps_succeeds) {
  ExecutorFixture f;
  EXPECT_EQ(f.run(JobSpec{}).ending, Ending::succeeded);
}

TEST(LocalExecutor, a_large_plan_reaches_the_command) {
  ExecutorFixture f;
  auto job = f.spec({"sh", "-c", "echo $#", "sh"});
  for (int i = 0; i < 50'000; ++i) std::get<RunStep>(job.steps[0]).argv.push_back("argument");
  EXPECT_EQ(f.run(job).ending, Ending::succeeded);
  EXPECT_EQ(f.text, "50000\n");
}

TEST(LocalExecutor, what_a_job_leaves_behind_ends_with_it) {
  ExecutorFixture f;
  const auto result = f.run(f.shell("setsid sleep 1000 & echo started"));
  EXPECT_EQ(result.ending, Ending::succeeded);
}

TEST(LocalExecutor, the_tail_is_bounded_and_the_log_is_whole) {
  ExecutorFixture f;
  struct TailSink : RecordingSink {
    void ended(JobId id, JobResult result_) override {
      tail = executor->tail(id);
      RecordingSink::ended(id, std::move(result_));
    }
    LocalExecutor* executor = nullptr;
    std::string tail;
  } sink;
  sink.executor = f.executor.get();
  f.start(f.shell("seq 1 200000"), sink);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.tail.size(), 64U * 1024);
  EXPECT_TRUE(sink.tail.ends_with("199999\n200000\n"));
  EXPECT_EQ(std::filesystem::file_size(f.folder / "logs/1.log"), sink.output_bytes);
}

TEST(LocalExecutor, many_jobs_at_a_time_each_end_once) {
  ExecutorFixture f;
  std::vector<RecordingSink> sinks(100);
  for (auto& sink : sinks) f.start(f.spec({"true"}), sink);
  ASSERT_TRUE(f.run_until([&] {
    return std::all_of(sinks.begin(), sinks.end(), [](const auto& sink) { return sink.ends > 0; });
  }));
  for (const auto& sink : sinks) {
    EXPECT_EQ(sink.ends, 1);
    EXPECT_EQ(sink.result.ending, Ending::succeeded) << sink.result.evidence;
  }
}

TEST(LocalExecutor, set_cores_pins_the_job) {
  ExecutorFixture f;
  RecordingSink sink;
  const auto fifo = f.folder / "build/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0666), 0);
  const auto id = f.start(f.shell("echo up; read go < fifo; nproc"), sink);
  ASSERT_TRUE(f.wait_text(sink, "up"));
  f.executor->set_cores(id, 1);
  std::ofstream(fifo) << "go\n";
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.text, "up\n1\n");
}

}  // namespace
}  // namespace weir
