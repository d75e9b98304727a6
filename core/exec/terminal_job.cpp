#include "core/exec/terminal_job.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <cstring>

#include "core/exec/companion.h"
#include "core/exec/init_plan.h"
#include "core/exec/isolation.h"
#include "core/exec/process_limit.h"
#include "core/exec/spawn.h"
#include "core/exec/terminal_owner.h"
#include "core/exec/terminal_signals.h"

namespace weir {

namespace {

constexpr int kStatusFd = 5;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

// What the terminal sends to all of its foreground is for the command. weir-init clears the mask for it.
constexpr std::uint64_t kMask = init::kInitMask | init::signal_bit(SIGINT) | init::signal_bit(SIGQUIT) |
                                init::signal_bit(SIGTSTP) | init::signal_bit(SIGTTIN) |
                                init::signal_bit(SIGTTOU) | init::signal_bit(SIGHUP);

struct PipeEnds {
  UniqueFd reader, writer;
};

Result<PipeEnds> make_pipe_ends() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  return PipeEnds{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class Runner {
 public:
  explicit Runner(const TerminalJob& job) : job_(job), isolation_(find_isolation()) {}

  Status start() {
    if (auto ready = prepare(); !ready) return ready;
    auto command = command_line();
    if (!command) return tl::unexpected(command.error());
    std::vector<char*> argv;
    for (auto& word : *command) argv.push_back(word.data());
    argv.push_back(nullptr);
    char* const no_environment[] = {nullptr};
    const std::array<int, 6> fds{job_.aside ? null_.get() : given(0),
                                 given(job_.aside ? 2 : 1),
                                 given(2),
                                 plan_.fd(),
                                 life_.writer.get(),
                                 null_.get()};
    SpawnRequest request;
    request.path = command->front().c_str();
    request.argv = argv.data();
    request.environment = no_environment;
    request.fds = std::span(fds).first(job_.sandbox ? kStatusFd + 1 : kStatusFd);
    request.namespaces = job_.sandbox ? find_sandbox_namespaces(isolation_) : namespaces_of(isolation_);
    request.own_proc =
        job_.sandbox && request.namespaces != 0;  // bubblewrap looks its inside up there by pid
    request.death_signal = alone() ? init::kOrphanSignal : SIGKILL;
    request.signal_mask = kMask;
    request.most_processes = most_processes_of_a_job();
    request.expendable = true;
    request.keep_terminal = true;
    child_ = spawn(request);
    if (child_.pid < 0) return fail_errno("starting " + command->front(), child_.error);
    life_.writer.reset();
    return {};
  }

  // 0, or the signal that asked for the end.
  int await(const TerminalSignals& signals) {
    pollfd news[] = {{child_.pidfd.get(), POLLIN, 0}, {signals.requests(), POLLIN, 0}};
    int asked = 0;
    while ((news[0].revents & POLLIN) == 0) {
      if (::poll(news, asked ? 1 : 2, -1) < 0) continue;  // EINTR
      char signal = 0;
      if (asked || !(news[1].revents & POLLIN) || ::read(signals.requests(), &signal, 1) != 1) continue;
      asked = signal;
      end();
    }
    while (::waitpid(child_.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return asked;
  }

  InitRecord record() const { return plan_.record(); }

 private:
  bool alone() const { return !job_.sandbox && isolation_ == Isolation::subreaper; }

  Status prepare() {
    null_ = UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null_) return fail_errno("opening /dev/null");
    auto life = make_pipe_ends();
    if (!life) return tl::unexpected(life.error());
    life_ = std::move(*life);
    InitPlan orders{job_.environment, {{job_.argv, job_.directory}}, true};
    orders.confined = job_.sandbox.has_value();
    orders.user_namespaces = job_.sandbox && job_.sandbox->user_namespaces;
    auto plan = PlanFile::make(orders);
    if (!plan) return tl::unexpected(plan.error());
    plan_ = std::move(*plan);
    return {};
  }

  Result<std::vector<std::string>> command_line() const {
    const auto init = find_companion("weir-init");
    if (init.empty())
      return fail(Reason::not_found, "weir-init is not beside the weir program", "install weir again");
    if (!job_.sandbox) return std::vector{init};
    auto plan = *job_.sandbox;
    plan.init = init;
    plan.bwrap = find_program("bwrap");
    plan.status_fd = kStatusFd;
    if (!plan.bwrap.empty()) return bwrap_command(plan);
    return fail(Reason::not_found, "bubblewrap (bwrap) was not found in PATH",
                "install the package bubblewrap, or ask for --sandbox none");
  }

  // A standard stream that the user closed is /dev/null: others would get its number.
  int given(int fd) const { return ::fcntl(fd, F_GETFD) < 0 ? null_.get() : fd; }

  // Not with manners: an interactive shell does not hear SIGTERM.
  void end() {
    plan_.want(init::Wanted::kill);
    ::kill(child_.pid, alone() ? init::kLookSignal : SIGKILL);
  }

  const TerminalJob& job_;
  Isolation isolation_;
  UniqueFd null_;
  PlanFile plan_;
  PipeEnds life_;  // the reader is ours as long as we live
  Spawned child_;
};

Result<int> exit_of(const InitRecord& record, int asked) {
  if (asked != 0) return 128 + asked;
  if (!record.complete || record.steps.empty())
    return fail(Reason::system, "the command did not come to an end of its own, or never began",
                "weir doctor tells whether this machine can have sandboxes");
  const auto& step = record.steps.front();
  switch (step.end) {
    case init::StepEnd::exited: return step.value;
    case init::StepEnd::signalled: return 128 + step.value;
    case init::StepEnd::no_exec: return step.value == ENOENT ? kNotFound : kCannotRun;
    default: return kCannotRun;
  }
}

}  // namespace

Result<int> run_on_terminal(const TerminalJob& job) {
  TerminalOwner terminal;
  const auto signals = TerminalSignals::make();
  if (!signals) return tl::unexpected(signals.error());
  Runner runner(job);
  if (auto started = runner.start(); !started) return tl::unexpected(started.error());
  const int asked = runner.await(*signals);
  const auto record = runner.record();
  const bool natural =
      record.complete && !record.steps.empty() && record.steps.front().end == init::StepEnd::exited;
  if (!natural) terminal.restore_modes();
  return exit_of(record, asked);
}

}  // namespace weir
