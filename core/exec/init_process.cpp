#include "core/exec/init_process.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/exec/init_protocol.h"
#include "core/exec/sandbox.h"

namespace weir {

using boost::system::error_code;

namespace {

// Bubblewrap has one child.
pid_t child_of(pid_t pid) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  pid_t child = 0;
  children >> child;
  return child;
}

}  // namespace

Spawned InitProcess::start(const SpawnRequest& request) {
  Spawned outcome;
  process_ = Launcher()(process_.get_executor(), request, outcome);
  if (outcome.pid < 0) return outcome;
  pid_ = outcome.pid;
  watch_exit();
  if (talk_.is_open()) watch_socket();
  if (status_.is_open()) watch_status();
  return outcome;
}

void InitProcess::watch_exit() {
  process_.async_wait([weak = weak_from_this()](error_code error, int status) {
    const auto self = weak.lock();
    if (!self || self->exited_ || error == boost::asio::error::operation_aborted) return;
    self->exited_ = true;
    self->process_
        .detach();  // reaped: its destructor must not look for a pid that may be somebody else's by now
    if (const auto exited = std::exchange(self->hooks_, {}).exited) exited(status);
  });
}

Result<UniqueFd> InitProcess::make_socket() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return fail_errno("making the socket of weir-init");
  talk_.assign(ends[0]);
  return UniqueFd(ends[1]);
}

void InitProcess::watch_socket() {
  talk_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                   [weak = weak_from_this()](error_code error) {
                     if (const auto self = weak.lock(); self && !error) self->hear();
                   });
}

void InitProcess::hear() {
  char word = 0;
  const auto got = ::recv(talk_.native_handle(), &word, 1, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN)) return;  // it is gone; its exit is told elsewhere
  watch_socket();
  if (got == 1)
    if (const auto done = std::exchange(hooks_, {}).done) done();
}

bool InitProcess::hand_over(std::span<const int> descriptors) {
  char word = init::kPlanWord;
  iovec part{&word, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(init::kMostHandedOver * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    auto* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(talk_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

Result<UniqueFd> InitProcess::make_status_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return fail_errno("making the status pipe of a sandbox");
  status_.assign(ends[0]);
  return UniqueFd(ends[1]);
}

void InitProcess::watch_status() {
  status_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                     [weak = weak_from_this()](error_code error) {
                       const auto self = weak.lock();
                       if (error || !self || !self->status_.is_open()) return;
                       self->read_status();
                       if (self->status_.is_open()) self->watch_status();
                     });
}

void InitProcess::read_status() {
  if (!status_.is_open()) return;
  std::array<char, 512> buffer;
  ssize_t got;
  while ((got = ::read(status_.native_handle(), buffer.data(), buffer.size())) > 0)
    status_text_.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0) status_.close();
  if (inner_pidfd_ || parse_sandbox_status(status_text_).child_pid <= 0) return;
  const auto inside = child_of(pid_);
  if (inside <= 0) return;
  inner_pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, inside, 0)));
  // The pid is right only while bubblewrap has not reaped it.
  if (!inner_pidfd_ || child_of(pid_) != inside) return inner_pidfd_.reset();
  inner_pid_ = inside;
  if (const auto learnt = learnt_) learnt();
}

bool InitProcess::inside_ended() const { return parse_sandbox_status(status_text_).child_exited; }

void InitProcess::await_end() {
  hooks_ = {};
  if (!is_running()) return;
  exited_ = true;
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_.detach();
}

void InitProcess::end() {
  if (is_running()) ::kill(pid_, SIGKILL);  // what it left is gone already, or in its namespace
  await_end();
}

}  // namespace weir
