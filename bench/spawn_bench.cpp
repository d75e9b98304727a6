// What it costs to start /bin/true many times, a few at a time:
//   bare      posix_spawn, pidfds on epoll: what any program has to pay
//   launcher  weir's launcher through Boost.Process v2 on Asio
//   init      weir-init in its pid namespace, started by the launcher
//   executor  the whole local executor: plan, output pipe, record, result; without and with a cgroup per job
// The ways take turns in short rounds, so that all see the same machine; the tables have medians of the
// rounds. The second one is CPU time, of this process and all its children: it hardly depends on what else
// the machine does.
//   spawn_bench [jobs per way and width, default 10000] [path of weir-init]
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "core/exec/companion.h"
#include "core/exec/init_plan.h"
#include "core/exec/launcher.h"
#include "core/exec/local_executor.h"

extern char** environ;

namespace {

using namespace weir;

char program[] = "/bin/true";
char* const true_argv[] = {program, nullptr};
char* const no_environment[] = {nullptr};

void require(bool good, const char* what) {
  if (good) return;
  fmt::print(stderr, "spawn_bench: {} failed\n", what);
  std::exit(1);
}

void bare(int jobs, int width) {
  const UniqueFd poll(epoll_create1(EPOLL_CLOEXEC));
  int started = 0;
  int running = 0;
  while (started < jobs || running > 0) {
    while (running < width && started < jobs) {
      pid_t pid;
      require(posix_spawn(&pid, program, nullptr, nullptr, true_argv, no_environment) == 0, "posix_spawn");
      const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
      epoll_event event{EPOLLIN, {.fd = pidfd}};
      epoll_ctl(poll.get(), EPOLL_CTL_ADD, pidfd, &event);
      ++started;
      ++running;
    }
    std::array<epoll_event, 16> events;
    const int ready = epoll_wait(poll.get(), events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < ready; ++i) {
      const int pidfd = events[static_cast<std::size_t>(i)].data.fd;
      siginfo_t info;
      waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd), &info, WEXITED);
      epoll_ctl(poll.get(), EPOLL_CTL_DEL, pidfd, nullptr);
      close(pidfd);
      --running;
    }
  }
}

// Keeps `width` processes running; start(done) starts one.
class Width {
 public:
  Width(boost::asio::io_context& loop, int jobs) : loop_(loop), left_(jobs) {}
  template <class Start>
  void run(int width, Start start) {
    for (int i = 0; i < width; ++i) next(start);
    loop_.restart();
    loop_.run();
  }

 private:
  template <class Start>
  void next(Start start) {
    if (left_-- > 0) start([this, start] { next(start); });
  }
  boost::asio::io_context& loop_;
  int left_;
};

template <class Done>
void launch(boost::asio::io_context& loop, const SpawnRequest& request, Done done) {
  Spawned outcome;
  auto process = std::make_shared<LoopProcess>(Launcher()(loop.get_executor(), request, outcome));
  require(outcome.pid > 0, "the launcher");
  process->async_wait([process, done](boost::system::error_code, int status) {
    require(status == 0, "a child");
    process->detach();
    done();
  });
}

void launcher(int jobs, int width) {
  boost::asio::io_context loop(1);
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::array<int, 3> fds{null.get(), 1, 2};
  SpawnRequest request;
  request.path = program;
  request.argv = true_argv;
  request.environment = no_environment;
  request.fds = fds;
  Width(loop, jobs).run(width, [&](auto done) { launch(loop, request, done); });
}

void init_alone(int jobs, int width, const std::string& init) {
  boost::asio::io_context loop(1);
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  std::string path = init;
  char* const argv[] = {path.data(), nullptr};
  const InitPlan plan{{}, {{{program}, "/"}}, false};
  Width(loop, jobs).run(width, [&](auto done) {
    auto file = std::make_shared<PlanFile>(std::move(*PlanFile::make(plan)));
    const std::array<int, 4> fds{null.get(), 1, 2, file->fd()};
    SpawnRequest request;
    request.path = path.c_str();
    request.argv = argv;
    request.environment = no_environment;
    request.fds = fds;
    request.namespaces = geteuid() == 0 ? CLONE_NEWPID : CLONE_NEWPID | CLONE_NEWUSER;
    request.signal_mask = init::kInitMask;
    launch(loop, request, [file, done] {
      require(file->record().complete, "weir-init's record");
      done();
    });
  });
}

struct Sink : JobSink {
  void started(JobId, std::int64_t) override {}
  void output(JobId, std::string_view) override {}
  void usage(JobId, const Usage&) override {}
  void cores(JobId, std::uint32_t) override {}
  void ended(JobId job, JobResult result) override {
    require(result.ending == Ending::succeeded, "a job");
    on_end(job);
  }
  std::function<void(JobId)> on_end;
};

void executor(int jobs, int width, const std::string& init, TreeControlKind control) {
  boost::asio::io_context loop(1);
  Arenas arenas(2);
  LocalExecutorOptions options;
  options.init = init;
  options.tree_control = control;
  options.log_directory = "/tmp";
  options.directory = [](JobId, const JobSpec&, std::string_view) { return std::string("/"); };
  LocalExecutor local(loop, arenas, std::move(options));
  JobSpec spec;
  spec.steps.push_back(RunStep{{program}});
  const auto shared = std::make_shared<const JobSpec>(std::move(spec));
  Sink sink;
  std::uint32_t next = 0;
  const auto start = [&] {
    if (next < static_cast<std::uint32_t>(jobs)) local.start(JobId(next++), shared, sink);
  };
  sink.on_end = [&](JobId) { start(); };
  for (int i = 0; i < width; ++i) start();
  loop.run();
}

double cpu_microseconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    getrusage(who, &usage);
    for (const auto& time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  }
  return sum;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const std::string init = argc > 2 ? argv[2] : find_companion("weir-init");
  require(!init.empty(), "finding weir-init");
  constexpr int kRounds = 10;
  const int round = std::max(1, jobs / kRounds);
  struct Way {
    const char* name;
    std::function<void(int jobs, int width)> run;
    std::vector<double> wall;
    std::vector<double> cpu;
    std::string wall_line;
    std::string cpu_line;
  };
  std::vector<Way> ways;
  ways.push_back({"bare posix_spawn", bare, {}, {}, {}, {}});
  ways.push_back({"launcher", launcher, {}, {}, {}, {}});
  ways.push_back({"weir-init", [&](int n, int w) { init_alone(n, w, init); }, {}, {}, {}, {}});
  ways.push_back(
      {"executor", [&](int n, int w) { executor(n, w, init, TreeControlKind::weir_init); }, {}, {}, {}, {}});
  ways.push_back({"executor, cgroup",
                  [&](int n, int w) { executor(n, w, init, TreeControlKind::automatic); },
                  {},
                  {},
                  {},
                  {}});
  for (const int width : {2, 4, 8}) {
    for (auto& way : ways) {
      way.wall.clear();
      way.cpu.clear();
      way.run(50, width);  // warm
    }
    for (int i = 0; i < kRounds; ++i)
      for (auto& way : ways) {
        const auto begin = std::chrono::steady_clock::now();
        const auto cpu = cpu_microseconds();
        way.run(round, width);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
        way.wall.push_back(time.count() / round);
        way.cpu.push_back((cpu_microseconds() - cpu) / round);
      }
    const auto wall = median(ways[0].wall);
    const auto cpu = median(ways[0].cpu);
    for (auto& way : ways) {
      way.wall_line += fmt::format("{:10.0f} ({:4.2f} x)", median(way.wall), median(way.wall) / wall);
      way.cpu_line += fmt::format("{:10.0f} ({:4.2f} x)", median(way.cpu), median(way.cpu) / cpu);
    }
  }
  constexpr auto kHead = "{:20}         2 at a time       4 at a time       8 at a time\n";
  fmt::print(kHead, "us per job");
  for (const auto& way : ways) fmt::print("{:20}{}\n", way.name, way.wall_line);
  fmt::print(kHead, "CPU us per job");
  for (const auto& way : ways) fmt::print("{:20}{}\n", way.name, way.cpu_line);
}
