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

// One buffer for all jobs: reads happen on the loop's thread only, and a job that waits holds none.
std::array<char, 64 * 1024>& read_buffer() {
  static thread_local std::array<char, 64 * 1024> buffer;
  return buffer;
}

// How much one job may write before others get their turn.
constexpr int kReadsInARow = 4;
// All of a job is dead when its init was reaped, so the pipe ends at once; longer is only for a descriptor
// that was handed to a process of somebody else.
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

}  // namespace

JobProcess::JobProcess(boost::asio::io_context& loop, Hooks hooks)
    : loop_(loop), hooks_(std::move(hooks)), init_(std::make_shared<InitProcess>(loop)), late_output_(loop) {}

JobProcess::~JobProcess() = default;

Status JobProcess::start(const InitPlan& plan, const ProcessSetup& setup) {
  sandboxed_ = setup.sandbox != nullptr;
  in_namespace_ = sandboxed_ ? setup.sandbox_namespaces != 0 : setup.isolation != Isolation::subreaper;
  alone_ = !sandboxed_ && !in_namespace_;
  if (!setup.idle || !give_to_idle(plan, setup))
    if (auto given = give_to_new(plan, setup); !given) return given;
  listen();
  return {};
}

void JobProcess::listen() {
  const auto over = [weak = weak_from_this()](bool done, int status) {
    const auto self = weak.lock();
    if (!self || self->ended_) return;
    self->exited_ = true;
    self->done_ = done;
    self->exit_status_ = status;
    self->finish_if_over();
  };
  init_->listen({[over] { over(true, 0); }, [over](int status) { over(false, status); }});
  desk_->listen([weak = weak_from_this()] {
    const auto self = weak.lock();
    return self && self->take_output();
  });
  if (sandboxed_)
    init_->on_learnt([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->inside_learnt();
    });
}

// False: somebody has killed it, or it cannot have this one.
bool JobProcess::give_to_idle(const InitPlan& plan, const ProcessSetup& setup) {
  const bool has_more = setup.jobserver && setup.jobserver->reader() >= 0;
  if (has_more || !setup.desk || !setup.desk->plan().replace(plan) || !setup.idle->hand_over({}))
    return false;
  init_ = setup.idle;
  desk_ = setup.desk;
  return true;
}

Status JobProcess::give_to_new(const InitPlan& plan, const ProcessSetup& setup) {
  desk_ = std::make_shared<JobDesk>(loop_);
  const auto writer = desk_->set_up(plan);
  if (!writer) return tl::unexpected(writer.error());
  if (!setup.serves()) return spawn_child(setup, writer->get(), desk_->plan().fd());
  if (setup.idle) {
    init_ = setup.idle;
    if (hand_plan(setup, writer->get())) return {};
    init_ = std::make_shared<InitProcess>(loop_);
  }
  const auto socket = init_->make_socket();
  if (!socket) return tl::unexpected(socket.error());
  if (auto spawned = spawn_child(setup, setup.null_device, socket->get()); !spawned) return spawned;
  if (hand_plan(setup, writer->get())) return {};
  return fail(Reason::system, "weir-init ended before it had its plan",
              "weir doctor tells whether this machine can run jobs");
}

bool JobProcess::hand_plan(const ProcessSetup& setup, int output) {
  std::array<int, init::kMostHandedOver> descriptors{desk_->plan().fd(), output};
  std::size_t count = 2;
  if (setup.jobserver && setup.jobserver->reader() >= 0) {
    descriptors[count++] = setup.jobserver->reader();
    descriptors[count++] = setup.jobserver->writer();
  }
  return init_->hand_over(std::span(descriptors).first(count));
}

// `plan` may be the socket of one that serves.
Status JobProcess::spawn_child(const ProcessSetup& setup, int output, int plan) {
  UniqueFd status;
  if (sandboxed_) {
    auto made = init_->make_status_pipe();
    if (!made) return tl::unexpected(made.error());
    status = std::move(*made);
  }
  std::vector<std::string> command;
  if (sandboxed_) command = bwrap_command(*setup.sandbox);
  else command.push_back(setup.init);
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  char* const no_environment[] = {nullptr};
  std::array<int, init::kJobserverWriter + 1> fds;
  fds.fill(-1);
  std::size_t count = 0;
  for (const int fd : {setup.null_device, output, output, plan}) fds[count++] = fd;
  if (sandboxed_) fds[count++] = status.get();
  if (!setup.serves() && setup.jobserver && setup.jobserver->reader() >= 0) {
    fds[init::kJobserverReader] = setup.jobserver->reader();
    fds[init::kJobserverWriter] = setup.jobserver->writer();
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
  request.most_processes = setup.most_processes;
  request.expendable = true;
  request.death_signal = alone_ ? init::kOrphanSignal : SIGKILL;
  request.signal_mask = init::kInitMask;
  if (const auto outcome = init_->start(request); outcome.pid < 0) {
    const auto program = sandboxed_ ? "bubblewrap" : "weir-init";
    return fail(Reason::system,
                fmt::format("{} {} ({}): {}", describe(outcome.stage), program, command.front(),
                            std::strerror(outcome.error)),
                sandboxed_ ? "install bubblewrap, or set `root = \"none\"` in [sandbox] of weir.toml"
                           : "weir-init belongs beside the weir program");
  }
  return {};
}

// Whether there may be more.
bool JobProcess::take_output() {
  if (ended_) return false;
  if (!drain_output()) return true;
  finish_if_over();
  return false;
}

// True at the end of the output.
bool JobProcess::drain_output() {
  auto& buffer = read_buffer();
  for (int i = 0; (i < kReadsInARow || exited_) && !output_ended_; ++i) {
    const auto got = ::read(desk_->output(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    if (got > 0) hooks_.output(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    else output_ended_ = true;
  }
  return output_ended_;
}

void JobProcess::inside_learnt() {
  if (pending_look_) look();
  if (pending_term_) signal_term();
}

void JobProcess::signal_init(int signal) {
  if (exited_) return;
  signalled_ = true;
  if (!sandboxed_) ::kill(pid(), signal);
  else if (init_->inner_pid()) ::syscall(SYS_pidfd_send_signal, init_->inner_pidfd(), signal, nullptr, 0);
}

void JobProcess::look() {
  pending_look_ = sandboxed_ && !init_->inner_pid();
  if (!pending_look_) signal_init(init::kLookSignal);
}

void JobProcess::signal_term() {
  pending_term_ = sandboxed_ && !init_->inner_pid();
  if (!pending_term_) signal_init(SIGTERM);
}

void JobProcess::terminate() {
  desk_->plan().want(init::Wanted::terminate);
  signal_term();
}

void JobProcess::hold(bool held) {
  desk_->plan().want(held ? init::Wanted::hold : init::Wanted::run);
  look();
}

void JobProcess::kill() {
  if (exited_) return;
  desk_->plan().want(init::Wanted::kill);
  if (alone_) return look();
  if (in_namespace_) {
    signalled_ = true;
    ::kill(pid(), SIGKILL);  // PID 1 of its namespace: all of it dies
    return;
  }
  // Bubblewrap without a namespace around it tells of the inside before it lets it run. So either the inside
  // is known by now and is killed (bubblewrap ends after it), or weir-init will read what is wanted first of
  // all and end.
  init_->read_status();
  if (init_->inner_pid()) return signal_init(SIGKILL);
  ::kill(pid(), SIGKILL);
}

void JobProcess::finish_if_over() {
  if (!exited_ || ended_) return;
  // One that is done has nobody left in its namespace who could write.
  if (!drain_output() && !alone_ && !done_) {
    late_output_.expires_after(kLateOutput);
    late_output_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->ended_) return;
      self->output_ended_ = true;
      self->finish_if_over();
    });
    return;
  }
  if (!done_) init_->read_status();
  ended_ = true;
  ProcessEnd end{exit_status_, desk_->plan().record(), sandboxed_, init_->inside_ended()};
  close_all();
  const auto ended = std::move(hooks_.ended);
  hooks_ = {};
  ended(std::move(end));
}

void JobProcess::close_all() {
  if (is_idle()) desk_->ignore();  // it may serve another
  else desk_->close_output();
  late_output_.cancel();
}

void JobProcess::await_end() {
  if (ended_) return;
  ended_ = true;
  hooks_ = {};
  if (!exited_) init_->await_end();
  exited_ = true;
  // The pipe ends when the last process that holds it is gone.
  auto& buffer = read_buffer();
  for (;;) {
    pollfd pipe{desk_->output(), POLLIN, 0};
    if (::poll(&pipe, 1, static_cast<int>(std::chrono::milliseconds(kLateOutput).count())) <= 0) break;
    if (::read(desk_->output(), buffer.data(), buffer.size()) <= 0) break;
  }
  close_all();
}

}  // namespace weir
