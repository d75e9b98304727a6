#include "core/control/control_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/control/control_socket.h"

namespace weir {

namespace {

// Far more than the status of any run; what sends more is no weir.
constexpr std::size_t kLongestReply = 256 << 20;

tl::unexpected<Error> went_away() {
  return fail(Reason::system, "the run went away before it answered", "`weir runs` says how it ended");
}

}  // namespace

Result<ControlClient> ControlClient::connect(const std::string& folder) {
  auto socket = control::connect_in(folder);
  if (!socket) return tl::unexpected(socket.error());
  return ControlClient(std::move(*socket));
}

Result<std::string> ControlClient::ask(std::string_view line, std::optional<Duration> patience) {
  // Who is refused at the door is told so and cut off; what was said there is worth more than that it could
  // not be sent.
  const auto sent = send(std::string(line) + "\n", patience);
  auto reply = receive_line(patience);
  if (!reply && !sent) return tl::unexpected(sent.error());
  return reply;
}

Status ControlClient::send(std::string_view bytes, std::optional<Duration> patience) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (auto ready = await(POLLOUT, patience); !ready) return ready;
    } else if (errno != EINTR) {
      return went_away();
    }
  }
  return {};
}

Result<std::string> ControlClient::receive_line(std::optional<Duration> patience) {
  std::string line;
  char buffer[64 * 1024];
  while (line.size() < kLongestReply) {
    const auto got = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return went_away();
    if (got < 0) {
      if (auto ready = await(POLLIN, patience); !ready) return tl::unexpected(ready.error());
      continue;
    }
    line.append(buffer, static_cast<std::size_t>(got));
    if (const auto end = line.find('\n', line.size() - static_cast<std::size_t>(got)); end != line.npos) {
      line.resize(end);
      return line;
    }
  }
  return fail(Reason::bug, "the answer of the run has no end");
}

Status ControlClient::await(short what, std::optional<Duration> patience) {
  const auto limit = patience ? std::chrono::duration_cast<std::chrono::milliseconds>(*patience).count() : -1;
  pollfd waiting{socket_.get(), what, 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(limit));
  if (ready > 0 || (ready < 0 && errno == EINTR)) return {};
  if (ready < 0) return fail_errno("waiting for the run");
  return fail(Reason::system, fmt::format("the run has not answered for {}", format_duration(*patience)),
              "it may be stopped (Ctrl-Z); `fg` lets it go on");
}

}  // namespace weir
