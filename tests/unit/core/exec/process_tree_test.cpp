// Suspend, resume, terminate and kill reach every process of a job, whichever way the tree is controlled.
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cstring>

#include "core/exec/tree_control.h"
#include "tests/unit/core/exec/process_watch.h"

namespace weir {
namespace {

struct Way {
  const char* name;
  TreeControlKind control;
  IsolationChoice isolation;
  SandboxRoot sandbox;
};

// A grace so long that nobody is killed at its end before a wait for the end gives up.
constexpr auto kNever = std::chrono::hours(1);

class Counter {
 public:
  explicit Counter(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT, 0666)) {
    EXPECT_EQ(::ftruncate(file_.get(), 8), 0);
    ::fchmod(file_.get(), 0666);
  }
  std::uint64_t value() const {
    std::uint64_t number = 0;
    EXPECT_EQ(::pread(file_.get(), &number, 8, 0), 8);
    return number;
  }

 private:
  UniqueFd file_;
};

std::string cgroup2_mount() {
  std::ifstream mounts("/proc/self/mounts");
  for (std::string device, path, type, rest; mounts >> device >> path >> type && std::getline(mounts, rest);)
    if (type == "cgroup2") return path;
  return {};
}

// By the cgroup that the process is in: others run jobs on this machine as well, and freeze theirs.
bool is_frozen(pid_t pid) {
  const auto groups = read_file("/proc/" + std::to_string(pid) + "/cgroup");
  const auto at = groups.find("0::/");
  if (at == groups.npos) return false;
  const auto name = groups.substr(at + 3, groups.find('\n', at) - at - 3);
  return read_file(cgroup2_mount() + name + "/cgroup.events").find("frozen 1") != std::string::npos;
}

class ProcessTree : public ::testing::TestWithParam<Way> {
 protected:
  static LocalExecutorOptions options() {
    LocalExecutorOptions result;
    result.tree_control = GetParam().control;
    result.isolation = GetParam().isolation;
    return result;
  }
  void SetUp() override {
    if (GetParam().control == TreeControlKind::cgroup &&
        f.executor->tree_control() != TreeControlKind::cgroup)
      GTEST_SKIP() << "no writable cgroup v2 on this machine";
    std::filesystem::copy_file(EXEC_TEST_CHILD, f.folder / "build/child");
  }
  // In the build directory, which both the sandbox and this test see.
  JobSpec job(const std::string& script) {
    auto spec = f.shell(script);
    spec.sandbox = GetParam().sandbox;
    spec.environment.emplace_back("WEIR_TEST_TAG", f.folder.path());
    return spec;
  }
  std::vector<pid_t> processes() const { return tagged_processes("WEIR_TEST_TAG=" + f.folder.path()); }
  bool all_stand_still() const {
    const auto all = processes();
    if (f.executor->tree_control() == TreeControlKind::cgroup)
      return !all.empty() && std::all_of(all.begin(), all.end(), is_frozen);
    // A look over /proc may miss who is forked during it, so that alone says nothing.
    const bool stopped = !all.empty() && std::all_of(all.begin(), all.end(), [](pid_t pid) {
      // D: a shell in vfork whose child was stopped before its exec.
      return std::string_view("T-ZD").find(state_of(pid)) != std::string_view::npos;
    });
    return stopped && init_is_holding(::getpid());
  }

  ExecutorFixture f{options()};
};

TEST_P(ProcessTree, suspend_stops_grandchildren_in_other_sessions_and_resume_lets_them_go_on) {
  Counter plain(f.folder / "build/plain");
  Counter escaped(f.folder / "build/escaped");
  RecordingSink sink;
  const auto id = f.start(job("./child count plain & setsid ./child count escaped & wait"), sink);
  ASSERT_TRUE(f.run_until(
      [&] { return sink.text.size() >= 2 * std::string_view("counting\n").size() || sink.ends; }));
  ASSERT_EQ(sink.ends, 0) << sink.text << sink.result.evidence;
  f.executor->suspend(id);
  ASSERT_TRUE(eventually([&] { return all_stand_still(); }));
  const auto before = plain.value() + escaped.value();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f.run(f.spec({"true"})).ending, Ending::succeeded);
  EXPECT_EQ(plain.value() + escaped.value(), before);
  f.executor->resume(id);
  const auto plain_before = plain.value();
  const auto escaped_before = escaped.value();
  EXPECT_TRUE(eventually([&] { return plain.value() > plain_before && escaped.value() > escaped_before; }));
  f.executor->stop(id, StopReason::cancelled, Duration::zero());
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
  EXPECT_TRUE(processes().empty());
}

// The kernel kills all that is born into a cgroup which was killed once.
TEST_P(ProcessTree, a_job_after_one_that_was_killed_runs) {
  for (int round = 0; round < 3; ++round) {
    RecordingSink sink;
    const auto id = f.start(job("trap '' TERM; echo deaf; sleep 1000"), sink);
    ASSERT_TRUE(f.wait_text(sink, "deaf")) << sink.result.evidence;
    f.executor->stop(id, StopReason::timeout, Duration::zero());
    ASSERT_TRUE(f.wait_end(sink));
    for (int i = 0; i < 3; ++i) {
      const auto result = f.run(job("true"));
      EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence;
    }
  }
}

TEST_P(ProcessTree, a_tree_that_forks_all_the_time_is_stopped_and_killed) {
  Counter counter(f.folder / "build/counter");
  RecordingSink sink;
  const auto id = f.start(job("./child fork counter; sleep 1000"), sink);
  ASSERT_TRUE(f.wait_text(sink, "counting")) << sink.result.evidence;
  f.executor->suspend(id);
  ASSERT_TRUE(eventually([&] { return all_stand_still(); }));
  const auto before = counter.value();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f.run(f.spec({"true"})).ending, Ending::succeeded);
  EXPECT_EQ(counter.value(), before);
  f.executor->stop(id, StopReason::cancelled, Duration::zero());
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_TRUE(processes().empty());
}

TEST_P(ProcessTree, a_term_handler_gets_to_finish) {
  RecordingSink sink;
  const auto id = f.start(job("trap 'echo cleaning; echo done > cleaned; exit 3' TERM; echo up; while :; do "
                              "sleep 1000 & wait; done"),
                          sink);
  ASSERT_TRUE(f.wait_text(sink, "up"));
  f.executor->stop(id, StopReason::cancelled, kNever);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
  EXPECT_EQ(read_file(f.folder / "build/cleaned"), "done\n");
  EXPECT_TRUE(processes().empty());
}

TEST_P(ProcessTree, a_term_handler_runs_even_if_the_job_was_suspended) {
  RecordingSink sink;
  const auto id =
      f.start(job("trap 'echo cleaning; exit 0' TERM; echo up; while :; do sleep 1000 & wait; done"), sink);
  ASSERT_TRUE(f.wait_text(sink, "up"));
  f.executor->suspend(id);
  ASSERT_TRUE(eventually([&] { return all_stand_still(); }));
  f.executor->stop(id, StopReason::cancelled, kNever);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_NE(sink.text.find("cleaning"), std::string::npos);
}

TEST_P(ProcessTree, one_that_ignores_term_is_gone_after_the_grace) {
  RecordingSink sink;
  const auto id = f.start(
      job("trap '' TERM; setsid sh -c 'trap \"\" TERM; echo up; sleep 1000' & wait; sleep 1000"), sink);
  ASSERT_TRUE(f.wait_text(sink, "up"));
  f.executor->stop(id, StopReason::timeout, std::chrono::milliseconds(50));
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
  EXPECT_EQ(sink.result.evidence, "stopped: timeout");
  EXPECT_GE(sink.result.wall, std::chrono::milliseconds(50));
  EXPECT_TRUE(processes().empty());
}

TEST_P(ProcessTree, quick_turns_of_suspend_and_resume_end_in_the_last_state) {
  Counter counter(f.folder / "build/counter");
  RecordingSink sink;
  const auto id = f.start(job("./child count counter"), sink);
  for (int i = 0; i < 50; ++i) {
    f.executor->suspend(id);
    f.executor->resume(id);
  }
  ASSERT_TRUE(f.wait_text(sink, "counting"));
  const auto before = counter.value();
  EXPECT_TRUE(eventually([&] { return counter.value() > before; }));
  for (int i = 0; i < 50; ++i) {
    f.executor->resume(id);
    f.executor->suspend(id);
  }
  EXPECT_TRUE(eventually([&] { return all_stand_still(); }));
  f.executor->join();
  EXPECT_TRUE(processes().empty());
}

// All that is known of the times is their order, so what is compared are sums of stretches that lie in each
// other.
TEST_P(ProcessTree, suspended_time_is_no_running_time) {
  using Clock = std::chrono::steady_clock;
  RecordingSink sink;
  ASSERT_EQ(::mkfifo((f.folder / "build/fifo").c_str(), 0666), 0);
  const auto before_start = Clock::now();
  const auto id = f.start(job("echo up; read line < fifo"), sink);
  const auto started = Clock::now();
  ASSERT_TRUE(f.wait_text(sink, "up"));
  const auto before_suspend = Clock::now();
  f.executor->suspend(id);
  const auto suspended = Clock::now();
  EXPECT_EQ(f.run(f.spec({"true"})).ending, Ending::succeeded);  // some time passes
  const auto before_resume = Clock::now();
  f.executor->resume(id);
  f.executor->stop(id, StopReason::cancelled, kNever);
  ASSERT_TRUE(f.wait_end(sink));
  const auto ended = Clock::now();
  EXPECT_GE(sink.result.wall, before_suspend - started);
  EXPECT_LE(sink.result.wall, (ended - before_start) - (before_resume - suspended));
}

TEST_P(ProcessTree, joining_kills_all_and_tells_nobody) {
  RecordingSink sinks[3];
  for (auto& sink : sinks) f.start(job("setsid sleep 1000 & echo up; sleep 1000"), sink);
  f.start(job("sleep 1000"), sinks[2]);  // perhaps not even set up yet
  ASSERT_TRUE(f.wait_text(sinks[0], "up"));
  f.executor->join();
  EXPECT_TRUE(processes().empty());
  f.loop.restart();
  f.loop.poll();
  EXPECT_EQ(sinks[0].ends + sinks[1].ends + sinks[2].ends, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, ProcessTree,
    ::testing::Values(
        Way{"cgroup", TreeControlKind::cgroup, IsolationChoice::automatic, SandboxRoot::none},
        Way{"cgroup_sandbox", TreeControlKind::cgroup, IsolationChoice::automatic, SandboxRoot::host},
        Way{"weir_init", TreeControlKind::weir_init, IsolationChoice::automatic, SandboxRoot::none},
        Way{"weir_init_user", TreeControlKind::weir_init, IsolationChoice::user_and_pid_namespace,
            SandboxRoot::none},
        Way{"weir_init_sandbox", TreeControlKind::weir_init, IsolationChoice::automatic, SandboxRoot::host},
        Way{"subreaper", TreeControlKind::weir_init, IsolationChoice::subreaper, SandboxRoot::none}),
    [](const auto& tested) { return tested.param.name; });

// A process that takes a while to end: its memory is given back in small pages. Says when it has all of it.
pid_t start_slow_to_end(const std::string& cgroup) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]), writer(ends[1]);
  constexpr std::size_t kSize = 256 << 20;
  const pid_t child = ::fork();
  if (child == 0) {
    void* memory = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::madvise(memory, kSize, MADV_NOHUGEPAGE);
    std::memset(memory, 1, kSize);
    if (::write(writer.get(), "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  std::ofstream(cgroup + "/cgroup.procs") << child << std::flush;
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
  return child;
}

// The incident: it asked twenty times within a millisecond whether the killed ones were gone, and then left
// their cgroups behind.
TEST(CgroupPool, waits_for_those_it_killed) {
  auto pool = CgroupPool::open();
  if (!pool) GTEST_SKIP() << "no writable cgroup v2 on this machine";
  const auto path = pool->path();
  auto cgroup = pool->take();
  ASSERT_TRUE(cgroup);
  const auto child = start_slow_to_end(cgroup->path());
  ASSERT_TRUE(cgroup->populated());
  pool->give_back(std::move(cgroup));
  pool.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(CgroupPool, leaves_no_cgroup_behind_and_clears_what_dead_weirs_left) {
  auto pool = CgroupPool::open();
  if (!pool) GTEST_SKIP() << "no writable cgroup v2 on this machine";
  const auto path = pool->path();
  pool->give_back(pool->take());
  pool.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  // What a killed weir leaves: a directory that nobody has locked. Until it is whole it is locked, or a weir
  // that runs beside this test takes it away.
  const auto stale = path + "9";
  UniqueFd lock;
  do {
    std::filesystem::create_directory(stale);
    lock = UniqueFd(::open(stale.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  } while (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || !std::filesystem::exists(stale));
  std::filesystem::create_directory(stale + "/7");
  EXPECT_TRUE(CgroupPool::open());
  EXPECT_TRUE(std::filesystem::exists(stale)) << "its weir lives";
  lock.reset();
  // One that runs beside this test may be at it, and be killed before it is done.
  std::unique_ptr<CgroupPool> first;
  EXPECT_TRUE(eventually([&] {
    first = CgroupPool::open();
    return !std::filesystem::exists(stale);
  }));
  const auto second = CgroupPool::open();
  EXPECT_TRUE(std::filesystem::exists(first->path()));
  EXPECT_NE(first->path(), second->path());
}

}  // namespace
}  // namespace weir
