// A weir-init in a namespace of its own serves one job after the other. What one job is or does must not
// reach the next.
#include <sys/wait.h>

#include <thread>

#include "tests/unit/core/exec/process_watch.h"

namespace weir {
namespace {

class ServedInit : public ::testing::Test {
 protected:
  void SetUp() override {
    if (f.executor->isolation() == IsolationChoice::subreaper)
      GTEST_SKIP() << "this machine gives no pid namespaces, without which none serves";
  }
  // The pid of the weir-init that ran it.
  std::int64_t run(JobSpec job) {
    RecordingSink sink;
    f.start(std::move(job), sink);
    EXPECT_TRUE(f.wait_end(sink));
    result = sink.result;
    text = sink.text;
    return sink.pid;
  }
  bool succeeded() const { return result.ending == Ending::succeeded; }

  ExecutorFixture f;
  JobResult result;
  std::string text;
};

TEST_F(ServedInit, runs_one_job_after_the_other) {
  const auto first = run(f.shell("echo one"));
  EXPECT_EQ(text, "one\n");
  EXPECT_EQ(run(f.shell("echo two; echo three")), first);
  EXPECT_EQ(text, "two\nthree\n");
  ASSERT_TRUE(succeeded()) << result.evidence;
  EXPECT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(read_file(f.folder / "logs/2.log"), "two\nthree\n");
}

TEST_F(ServedInit, jobs_at_the_same_time_have_one_each) {
  RecordingSink a, b;
  const auto wait_for_release = "echo up; until [ -e " + (f.folder / "build") + "/go ]; do :; done";
  f.start(f.shell(wait_for_release), a);
  f.start(f.shell(wait_for_release), b);
  ASSERT_TRUE(f.wait_text(a, "up") && f.wait_text(b, "up"));
  EXPECT_NE(a.pid, b.pid);
  std::ofstream(f.folder / "build/go").put('!');
  ASSERT_TRUE(f.wait_end(a) && f.wait_end(b));
  const auto later = run(f.shell("true"));
  EXPECT_TRUE(later == a.pid || later == b.pid);
}

TEST_F(ServedInit, nothing_of_a_job_is_left_when_the_next_begins) {
  const std::string tag = "served-leftover-" + std::to_string(::getpid()) + "-";
  auto job =
      f.shell("for i in 1 2 3; do setsid sh -c 'trap \"\" TERM HUP; while :; do :; done' & done; echo up");
  job.environment.emplace_back("WEIR_TEST_TAG", tag);
  const auto first = run(job);
  ASSERT_TRUE(succeeded()) << result.evidence;
  EXPECT_TRUE(tagged_processes(tag).empty());
  EXPECT_EQ(run(f.shell("true")), first);
}

TEST_F(ServedInit, one_whose_job_failed_serves_no_more) {
  const auto first = run(f.shell("exit 3"));
  EXPECT_EQ(result.exit, 3);
  EXPECT_NE(run(f.shell("true")), first);
  EXPECT_TRUE(succeeded());
  EXPECT_TRUE(eventually([&] { return ::kill(static_cast<pid_t>(first), 0) != 0; }));
}

TEST_F(ServedInit, a_signal_that_a_job_sent_is_not_the_next_ones) {
  const auto first = run(f.shell("trap '' TERM; kill -TERM 1; exit 0"));
  const auto second = run(f.shell("sleep 0; echo unharmed"));
  EXPECT_EQ(second, first) << "only weir's signals mean anything to it";
  EXPECT_EQ(text, "unharmed\n");
  EXPECT_TRUE(succeeded()) << result.evidence;
}

// Of one signal only one is ever pending, and weir-init hears of the first sender. It is stopped meanwhile,
// so the job's are there before weir's.
class PendingSignals : public ::testing::Test {
 protected:
  PendingSignals() : f(without_cgroups()) {}
  void SetUp() override {
    if (f.executor->isolation() == IsolationChoice::subreaper)
      GTEST_SKIP() << "this machine gives no pid namespaces; elsewhere any signal is weir's";
  }
  static LocalExecutorOptions without_cgroups() {
    LocalExecutorOptions options;
    options.tree_control = TreeControlKind::weir_init;
    return options;
  }
  void start_and_stop_init() {
    job =
        f.start(f.shell("trap 'echo ended; exit 0' TERM; echo up; until [ -e go ]; do :; done; kill -TERM 1; "
                        "kill -USR1 1; echo sent; until [ -e more ]; do :; done; echo more"),
                sink);
    ASSERT_TRUE(f.wait_text(sink, "up"));
    ASSERT_EQ(::kill(init(), SIGSTOP), 0);
    ASSERT_TRUE(eventually([&] { return state_of(init()) == 'T'; }));
    std::ofstream(f.folder / "build/go").put('!');
    ASSERT_TRUE(f.wait_text(sink, "sent"));
  }
  void go_on() { ASSERT_EQ(::kill(init(), SIGCONT), 0); }
  pid_t init() const { return static_cast<pid_t>(sink.pid); }

  ExecutorFixture f;
  RecordingSink sink;
  JobId job{};
};

TEST_F(PendingSignals, of_a_job_do_not_swallow_weirs_word_to_end) {
  start_and_stop_init();
  f.executor->stop(job, StopReason::cancelled, std::chrono::hours(1));
  go_on();
  ASSERT_TRUE(f.wait_text(sink, "ended"));
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
}

TEST_F(PendingSignals, of_a_job_do_not_swallow_weirs_word_to_pause) {
  start_and_stop_init();
  f.executor->suspend(job);
  go_on();
  EXPECT_TRUE(eventually([&] { return init_is_holding(::getpid()); }));
  std::ofstream(f.folder / "build/more").put('!');
  f.executor->resume(job);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.text, "up\nsent\nmore\n");
  EXPECT_EQ(sink.result.ending, Ending::succeeded) << sink.result.evidence;
}

TEST_F(PendingSignals, of_a_job_alone_change_nothing) {
  start_and_stop_init();
  go_on();
  std::ofstream(f.folder / "build/more").put('!');
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.text, "up\nsent\nmore\n");
  EXPECT_EQ(sink.result.ending, Ending::succeeded) << sink.result.evidence;
}

TEST_F(ServedInit, the_signal_for_orphans_is_any_other_in_a_namespace) {
  run(f.shell("trap '' USR2; kill -USR2 1; echo fine"));
  EXPECT_TRUE(succeeded()) << result.evidence;
  EXPECT_EQ(text, "fine\n");
}

// All of this is inherited, and a job may do it to its parent.
TEST_F(ServedInit, what_a_job_does_to_weir_init_is_not_the_next_ones) {
  const std::string look =
      "nice; taskset -p $$ | sed 's/.*: //'; ulimit -n; ionice -p $$; cat /proc/self/oom_score_adj";
  run(f.shell(look));
  const auto before = text;
  std::vector<std::string> attacks = {"renice -n 15 -p $PPID", "prlimit --pid 1 --nofile=64:64",
                                      "ionice -c 3 -p 1", "prlimit --pid 1 --as=1000:1000"};
  if (std::thread::hardware_concurrency() > 1)
    attacks.push_back("taskset -cp $(taskset -cp $$ | sed 's/.*: \\([0-9]*\\).*/\\1/') 1");
  for (const auto& attack : attacks) {
    const auto attacked = run(f.shell(attack));
    ASSERT_TRUE(succeeded()) << attack << ": " << text;
    EXPECT_NE(run(f.shell(look)), attacked) << attack;
    EXPECT_TRUE(succeeded()) << attack << ": " << result.evidence;
    EXPECT_EQ(text, before) << attack;
  }
}

// As a lock on it would: both are of the open file, not of the process.
TEST_F(ServedInit, a_flag_on_standard_input_ends_with_its_job) {
  const auto first = run(f.shell("grep flags /proc/self/fdinfo/0"));
  const auto flags = text;
  EXPECT_EQ(run(f.shell("python3 -c 'import fcntl, os; fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)' && grep "
                        "flags /proc/self/fdinfo/0")),
            first);
  EXPECT_NE(text, flags);
  EXPECT_EQ(run(f.shell("grep flags /proc/self/fdinfo/0")), first);
  EXPECT_EQ(text, flags);
}

// The pipe stays for the next job.
TEST_F(ServedInit, a_flag_on_the_output_ends_with_its_job) {
  const auto first = run(f.shell("grep flags /proc/self/fdinfo/1"));
  const auto flags = text;
  EXPECT_EQ(run(f.shell("python3 -c 'import fcntl, os; fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK | "
                        "os.O_APPEND)'; grep flags /proc/self/fdinfo/2")),
            first);
  EXPECT_NE(text, flags);
  EXPECT_EQ(run(f.shell("grep flags /proc/self/fdinfo/2")), first);
  EXPECT_EQ(text, flags);
}

TEST_F(ServedInit, one_whose_output_was_changed_serves_no_more) {
  const std::string look = "stat -L -c %a /dev/stdout";
  run(f.shell(look));
  const auto mode = text;
  for (const auto* change :
       {"chmod 0 /dev/stdout", "python3 -c 'import fcntl; fcntl.fcntl(1, 1031, 4096)'"}) {  // F_SETPIPE_SZ
    const auto changed = run(f.shell(change));
    ASSERT_TRUE(succeeded()) << change << text;
    EXPECT_NE(run(f.shell(look)), changed) << change;
    EXPECT_EQ(text, mode) << change;
  }
}

TEST_F(ServedInit, long_and_short_outputs_follow_each_other) {
  const auto first = run(f.shell("yes long | head -n 200000; echo end"));
  EXPECT_EQ(text.size(), 200'000U * 5 + 4);
  EXPECT_EQ(run(f.shell("true")), first);
  EXPECT_EQ(text, "");
  EXPECT_EQ(run(f.shell("echo short")), first);
  EXPECT_EQ(text, "short\n");
}

// Its record would stand where that of a job before it stood, which went well.
TEST_F(ServedInit, a_job_that_is_killed_has_no_record_of_an_earlier_one) {
  auto before = f.shell("true");
  before.steps.push_back(RunStep{{"true"}});
  const auto first = run(before);
  ASSERT_TRUE(succeeded());
  RecordingSink sink;
  f.start(f.shell("echo up; exec sleep 1000"), sink);
  ASSERT_TRUE(f.wait_text(sink, "up"));
  ASSERT_EQ(sink.pid, first);
  ASSERT_EQ(::kill(static_cast<pid_t>(first), SIGKILL), 0);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::failed);
  EXPECT_TRUE(sink.result.steps.empty());
}

TEST_F(ServedInit, one_that_somebody_killed_while_it_waited_is_replaced) {
  const auto first = run(f.shell("true"));
  ASSERT_EQ(::kill(static_cast<pid_t>(first), SIGKILL), 0);
  ASSERT_TRUE(eventually([&] {
    return state_of(static_cast<pid_t>(first)) == 'Z' || state_of(static_cast<pid_t>(first)) == '-';
  }));
  const auto second = run(f.shell("echo alive"));
  EXPECT_NE(second, first);
  EXPECT_EQ(text, "alive\n");
  EXPECT_TRUE(succeeded()) << result.evidence;
}

TEST_F(ServedInit, descriptors_environment_and_folder_are_each_jobs_own) {
  auto job = f.shell("cd /; export LEFT=behind; ulimit -n 64; umask 077; exec 7>&1; echo $A");
  job.environment.emplace_back("A", "first");
  const auto first = run(job);
  EXPECT_EQ(text, "first\n");
  EXPECT_EQ(run(f.shell("pwd; echo [$A$LEFT]; umask; ulimit -n")), first);
  const auto limit = text.substr(text.rfind('\n', text.size() - 2) + 1);
  EXPECT_EQ(text, (f.folder / "build") + "\n[]\n0022\n" + limit);
  EXPECT_NE(limit, "64\n");
  EXPECT_EQ(run(f.spec({"ls", "/proc/self/fd"})), first);
  EXPECT_EQ(text, "0\n1\n2\n3\n");  // 3 is ls reading the directory
}

TEST_F(ServedInit, a_jobserver_ends_with_its_job) {
  auto shares = f.shell("echo $MAKEFLAGS | sed 's/.*auth=//'; [ -p /proc/self/fd/14 ] && echo there");
  shares.environment.emplace_back("MAKEFLAGS", "");
  shares.sharing = CoreSharing::pipe;
  shares.limits.cores = 2;
  shares.most_cores = 2;
  const auto first = run(shares);
  ASSERT_TRUE(succeeded()) << result.evidence << text;
  EXPECT_EQ(text, "14,15\nthere\n");
  EXPECT_EQ(run(f.shell("[ -e /proc/self/fd/14 ] || [ -e /proc/self/fd/15 ] || echo gone")), first);
  EXPECT_EQ(text, "gone\n");
}

TEST_F(ServedInit, plans_of_any_size_follow_each_other) {
  auto large = f.shell("echo ${#BIG}");
  large.environment.emplace_back("BIG", std::string(100'000, 'x'));
  const auto first = run(large);
  EXPECT_EQ(text, "100000\n");
  auto many = f.shell("true");
  for (int i = 0; i < 500; ++i) many.steps.push_back(RunStep{{"true"}});
  EXPECT_EQ(run(many), first);
  EXPECT_EQ(result.steps.size(), 501U);
  EXPECT_EQ(run(large), first);
  EXPECT_EQ(text, "100000\n");
}

TEST_F(ServedInit, usage_is_that_of_one_job) {
  const auto first = run(f.shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"));
  const auto much = result.usage.cpu;
  EXPECT_EQ(run(f.shell("true")), first);
  EXPECT_LT(result.usage.cpu, much);
}

TEST(ServedInitWithoutCgroups, one_that_was_suspended_serves_no_more) {
  LocalExecutorOptions options;
  options.tree_control = TreeControlKind::weir_init;
  ExecutorFixture f(std::move(options));
  RecordingSink held, next;
  const auto job = f.start(f.shell("echo up; until [ -e go ]; do :; done"), held);
  ASSERT_TRUE(f.wait_text(held, "up"));
  f.executor->suspend(job);
  ASSERT_TRUE(eventually([&] { return init_is_holding(::getpid()); }));
  f.executor->resume(job);
  std::ofstream(f.folder / "build/go").put('!');
  ASSERT_TRUE(f.wait_end(held));
  EXPECT_EQ(held.result.ending, Ending::succeeded) << held.result.evidence;
  f.start(f.shell("echo next"), next);
  ASSERT_TRUE(f.wait_end(next));
  EXPECT_EQ(next.text, "next\n");
  EXPECT_NE(next.pid, held.pid);
}

TEST(ServedInitPinned, one_that_was_kept_on_some_cpus_serves_no_more) {
  LocalExecutorOptions options;
  options.pin_cores = true;
  ExecutorFixture f(std::move(options));
  std::vector<std::int64_t> pids;
  for (int i = 0; i < 2; ++i) {
    RecordingSink sink;
    auto job = f.shell("true");
    job.limits.cores = 1;
    f.start(job, sink);
    ASSERT_TRUE(f.wait_end(sink));
    pids.push_back(sink.pid);
  }
  EXPECT_NE(pids[0], pids[1]);
}

TEST(ServedInitEnd, none_outlives_its_executor) {
  std::int64_t pid = 0;
  {
    ExecutorFixture f;
    RecordingSink sink;
    f.start(f.shell("true"), sink);
    ASSERT_TRUE(f.wait_end(sink));
    pid = sink.pid;
  }
  EXPECT_NE(::kill(static_cast<pid_t>(pid), 0), 0);
}

}  // namespace
}  // namespace weir
