#include "core/exec/job_process.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <fstream>

namespace weir {
namespace {

using boost::system::error_code;
using WaitType = boost::asio::posix::descriptor_base;

// One buffer for all jobs: reads happen on the loop's thread only, and a job that waits holds none.
std::array<char, 64 * 1024>& read_buffer() {
  static thread_local std::array<char, 64 * 1024> buffer;
  return buffer;
}

// How much one job may write before others get their turn.
constexpr int kReadsInARow = 4;
// All of a job is dead when its init was reaped, so the pipe ends at once; longer is only for a descriptor that was
// handed to a process of somebody else.
constexpr auto kLateOutput = std::chrono::seconds(2);

std::string_view describe(SpawnStage stage) {
  switch (stage) {
    case SpawnStage::identity: return "mapping the user into a namespace for";
    case SpawnStage::proc: return "mounting /proc for";
    case SpawnStage::cgroup: return "moving into its cgroup";
    case SpawnStage::descriptors: return "arranging the descriptors of";
    case SpawnStage::clone: return "making a process for";
    default: return "starting";
  }
}

// Bubblewrap has one child.
pid_t child_of(pid_t pid) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  pid_t child = 0;
  children >> child;
  return child;
}

}  // namespace

JobProcess::JobProcess(boost::asio::io_context& loop, Hooks hooks)
    : loop_(loop), hooks_(std::move(hooks)), process_(loop.get_executor()), output_(loop), status_(loop), late_output_(loop) {}

JobProcess::~JobProcess() = default;

Status JobProcess::start(const InitPlan& plan, const ProcessSetup& setup) {
  auto file = make_plan_file(plan);
  if (!file) return tl::unexpected(file.error());
  plan_ = std::move(*file);
  int output[2];
  if (::pipe2(output, O_CLOEXEC | O_NONBLOCK) != 0) return fail_errno("making the output pipe of a job");
  output_.assign(output[0]);
  const UniqueFd writer(output[1]);
  // The job's end blocks: programs do not expect EAGAIN on their standard output.
  ::fcntl(writer.get(), F_SETFL, 0);
  UniqueFd status_writer;
  if (setup.sandbox) {
    int status[2];
    if (::pipe2(status, O_CLOEXEC | O_NONBLOCK) != 0) return fail_errno("making the status pipe of a sandbox");
    status_.assign(status[0]);
    status_writer = UniqueFd(status[1]);
  }
  if (auto spawned = spawn_child(setup, writer.get(), status_writer.get()); !spawned) return spawned;
  process_.async_wait([self = shared_from_this()](error_code error, int status) {
    if (error == boost::asio::error::operation_aborted || self->ended_) return;
    self->exited_ = true;
    self->exit_status_ = status;
    self->process_.detach();  // reaped: its destructor must not look for a pid that may be somebody else's by now
    self->finish_if_over();
  });
  read_output();
  if (setup.sandbox) read_sandbox_status();
  return {};
}

Status JobProcess::spawn_child(const ProcessSetup& setup, int output, int status) {
  sandboxed_ = setup.sandbox != nullptr;
  in_namespace_ = sandboxed_ ? setup.sandbox_namespaces != 0 : setup.isolation != Isolation::subreaper;
  alone_ = !sandboxed_ && !in_namespace_;
  std::vector<std::string> command;
  if (sandboxed_) command = bwrap_command(*setup.sandbox);
  else command.push_back(setup.init);
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  char* const no_environment[] = {nullptr};
  std::array<int, kJobserverWriter + 1> fds;
  fds.fill(-1);
  std::size_t count = 0;
  for (const int fd : {setup.null_device, output, output, plan_.get()}) fds[count++] = fd;
  if (sandboxed_) fds[count++] = status;
  if (setup.jobserver && setup.jobserver->reader() >= 0) {
    fds[kJobserverReader] = setup.jobserver->reader();
    fds[kJobserverWriter] = setup.jobserver->writer();
    count = fds.size();
  }
  SpawnRequest request;
  request.path = command.front().c_str();
  request.argv = argv.data();
  request.environment = no_environment;
  request.fds = std::span(fds).first(count);
  request.namespaces = sandboxed_ ? setup.sandbox_namespaces : namespaces_of(setup.isolation);
  request.own_proc = sandboxed_ && in_namespace_;  // bubblewrap looks its inside up there by pid
  request.cgroup = setup.cgroup;
  request.death_signal = alone_ ? init::kOrphanSignal : SIGKILL;
  request.signal_mask = init::kInitMask;
  Spawned outcome;
  process_ = Launcher()(loop_.get_executor(), request, outcome);
  if (outcome.pid < 0) {
    const auto program = sandboxed_ ? "bubblewrap" : "weir-init";
    return fail(Reason::system,
                fmt::format("{} {} ({}): {}", describe(outcome.stage), program, command.front(), std::strerror(outcome.error)),
                sandboxed_ ? "install bubblewrap, or ask for sandbox = \"none\"" : "weir-init belongs beside the weir program");
  }
  pid_ = outcome.pid;
  return {};
}

void JobProcess::read_output() {
  output_.async_wait(WaitType::wait_read, [self = shared_from_this()](error_code error) {
    if (error || self->ended_) return;
    if (self->drain_output()) self->finish_if_over();
    else self->read_output();
  });
}

// True at the end of the output.
bool JobProcess::drain_output() {
  auto& buffer = read_buffer();
  for (int i = 0; (i < kReadsInARow || exited_) && !output_ended_; ++i) {
    const auto got = ::read(output_.native_handle(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    if (got > 0) hooks_.output(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    else output_ended_ = true;
  }
  return output_ended_;
}

void JobProcess::read_sandbox_status() {
  status_.async_wait(WaitType::wait_read, [self = shared_from_this()](error_code error) {
    if (error || self->ended_) return;
    self->learn_inner_pid();
    if (self->status_.is_open()) self->read_sandbox_status();
  });
}

void JobProcess::learn_inner_pid() {
  std::array<char, 512> buffer;
  ssize_t got;
  while ((got = ::read(status_.native_handle(), buffer.data(), buffer.size())) > 0)
    status_text_.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0) status_.close();
  if (inner_pidfd_) return;
  if (parse_sandbox_status(status_text_).child_pid <= 0) return;
  const auto pid = child_of(pid_);
  if (pid <= 0) return;
  inner_pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // The pid is right only while bubblewrap has not reaped it.
  if (!inner_pidfd_ || child_of(pid_) != pid) return inner_pidfd_.reset();
  inner_pid_ = pid;
  if (pending_look_) look();
  if (pending_term_) signal_term();
}

void JobProcess::signal_init(int signal) {
  if (exited_) return;
  if (!sandboxed_) ::kill(pid_, signal);
  else if (inner_pidfd_) ::syscall(SYS_pidfd_send_signal, inner_pidfd_.get(), signal, nullptr, 0);
}

void JobProcess::look() {
  pending_look_ = sandboxed_ && !inner_pidfd_;
  if (!pending_look_) signal_init(init::kLookSignal);
}

void JobProcess::signal_term() {
  pending_term_ = sandboxed_ && !inner_pidfd_;
  if (!pending_term_) signal_init(SIGTERM);
}

void JobProcess::terminate() {
  write_wanted(plan_.get(), init::Wanted::run);
  signal_term();
}

void JobProcess::hold(bool held) {
  write_wanted(plan_.get(), held ? init::Wanted::hold : init::Wanted::run);
  look();
}

void JobProcess::kill() {
  if (exited_) return;
  write_wanted(plan_.get(), init::Wanted::kill);
  if (alone_) return look();
  if (in_namespace_) {
    ::kill(pid_, SIGKILL);  // PID 1 of its namespace: all of it dies
    return;
  }
  // Bubblewrap without a namespace around it tells of the inside before it lets it run. So either the inside is known by
  // now and is killed (bubblewrap ends after it), or weir-init will read what is wanted first of all and end.
  if (!inner_pidfd_ && status_.is_open()) learn_inner_pid();
  if (inner_pidfd_) return signal_init(SIGKILL);
  ::kill(pid_, SIGKILL);
}

void JobProcess::finish_if_over() {
  if (!exited_ || ended_) return;
  if (!drain_output() && !alone_) {
    late_output_.expires_after(kLateOutput);
    late_output_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->ended_) return;
      self->output_ended_ = true;
      self->finish_if_over();
    });
    return;
  }
  if (status_.is_open()) learn_inner_pid();
  ended_ = true;
  ProcessEnd end{exit_status_, read_record(plan_.get()), sandboxed_, parse_sandbox_status(status_text_).child_exited};
  close_all();
  const auto ended = std::move(hooks_.ended);
  hooks_ = {};
  ended(std::move(end));
}

void JobProcess::close_all() {
  error_code ignored;
  output_.close(ignored);
  status_.close(ignored);
  late_output_.cancel();
}

void JobProcess::await_end() {
  if (ended_) return;
  ended_ = true;
  hooks_ = {};
  while (!exited_ && ::waitpid(pid_, &exit_status_, 0) < 0 && errno == EINTR) {}
  exited_ = true;
  process_.detach();
  // The pipe ends when the last process that holds it is gone.
  auto& buffer = read_buffer();
  for (;;) {
    pollfd pipe{output_.native_handle(), POLLIN, 0};
    if (::poll(&pipe, 1, static_cast<int>(std::chrono::milliseconds(kLateOutput).count())) <= 0) break;
    if (::read(output_.native_handle(), buffer.data(), buffer.size()) <= 0) break;
  }
  close_all();
}

}  // namespace weir
