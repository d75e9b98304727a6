// A program with an executor inside, to be killed, measured, or run as another user.
//   hang DIRECTORY INIT CHILD      jobs that will not end, with and without a sandbox; says "ready" when all
//                                  run
//   suspended DIRECTORY INIT CHILD the same, then suspends them; says "ready"
//   flood DIRECTORY INIT           1 GiB of output; prints the bytes that came and the peak of this process
//                                  in KiB
//   once DIRECTORY INIT            `id -u` with and without a sandbox; prints ending and output of each
//   tty DIRECTORY INIT             says whether a job reaches the terminal
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <fstream>

#include "core/exec/local_executor.h"

namespace {

using namespace weir;

struct Sink : JobSink {
  void started(JobId, std::int64_t) override {}
  void output(JobId, std::string_view more) override {
    bytes += more.size();
    if (text.size() < 1000) text.append(more);
  }
  void usage(JobId, const Usage&) override {}
  void cores(JobId, std::uint32_t) override {}
  void ended(JobId, JobResult end) override {
    result = std::move(end);
    over = true;
  }
  std::uint64_t bytes = 0;
  std::string text;
  JobResult result;
  bool over = false;
};

JobSpec shell(const std::string& script, const std::string& tag, SandboxRoot sandbox) {
  JobSpec job;
  job.steps.push_back(RunStep{{"sh", "-c", script}});
  job.environment = {{"PATH", "/usr/bin:/bin"}, {"WEIR_TEST_TAG", tag}};
  job.sandbox = sandbox;
  return job;
}

long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string_view mode = argv[1];
  const std::string directory = argv[2];
  boost::asio::io_context loop;
  Arenas arenas(2);
  LocalExecutorOptions options;
  options.directory = [&](JobId, const JobSpec&, std::string_view root) {
    return root == "build" ? directory : std::string();
  };
  options.log_directory = directory;
  options.init = argv[3];
  if (const char* control = std::getenv("WEIR_TEST_CONTROL"))
    options.tree_control =
        std::string_view(control) == "init" ? TreeControlKind::weir_init : TreeControlKind::automatic;
  if (std::getenv("WEIR_TEST_ALONE")) options.isolation = IsolationChoice::subreaper;
  LocalExecutor executor(loop, arenas, std::move(options));
  Sink sinks[2];
  const auto start = [&](int number, JobSpec job) {
    executor.start(JobId(static_cast<std::uint32_t>(number)), std::make_shared<const JobSpec>(std::move(job)),
                   sinks[number]);
  };
  if (mode == "hang" || mode == "suspended") {
    const std::string script =
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo up; sleep 1000' & sleep 1000 & wait";
    start(0, shell(script, directory, SandboxRoot::none));
    start(1, shell(script, directory, SandboxRoot::host));
    while (sinks[0].text.empty() || sinks[1].text.empty()) {
      if (sinks[0].over || sinks[1].over) return 3;
      loop.run_one();
    }
    if (mode == "suspended")
      for (std::uint32_t i = 0; i < 2; ++i) executor.suspend(JobId(i));
    std::puts("ready");
    std::fflush(stdout);
    loop.run();
  } else if (mode == "flood") {
    start(0, shell("head -c 1073741824 /dev/zero", directory, SandboxRoot::none));
    while (!sinks[0].over) loop.run_one();
    std::printf("%llu %ld\n", static_cast<unsigned long long>(sinks[0].bytes), peak_kib());
  } else if (mode == "tty") {
    start(0, shell("if true < /dev/tty; then echo terminal; else echo none; fi 2>&-", directory,
                   SandboxRoot::none));
    while (!sinks[0].over) loop.run_one();
    std::printf("%s %s",
                ::access("/dev/tty", R_OK) == 0 && std::fopen("/dev/tty", "r") ? "weir has one, job:"
                                                                               : "no terminal:",
                sinks[0].text.c_str());
  } else if (mode == "once") {
    start(0, shell("id -u", directory, SandboxRoot::none));
    start(1, shell("id -u", directory, SandboxRoot::host));
    while (!sinks[0].over || !sinks[1].over) loop.run_one();
    for (const auto& sink : sinks)
      std::printf("%s %s%s\n", std::string(to_string(sink.result.ending)).c_str(), sink.text.c_str(),
                  sink.result.evidence.c_str());
  }
  return 0;
}
