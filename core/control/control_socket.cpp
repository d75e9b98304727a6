#include "core/control/control_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>

namespace weir::control {

namespace {

constexpr const char* kName = "control";
constexpr int kWaiting = 64;  // connections that the kernel keeps until the loop has time for them

UniqueFd open_folder(const std::string& folder) {
  return UniqueFd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

UniqueFd make_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

sockaddr_un address_in(const UniqueFd& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = fmt::format("/proc/self/fd/{}/{}", folder.get(), kName);
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

tl::unexpected<Error> cannot_connect(const std::string& folder) {
  const int error = errno;
  if (error == ENOENT || error == ECONNREFUSED || error == ENOTDIR)
    return fail(Reason::not_found, fmt::format("nobody listens in {}", folder));
  if (error == EACCES || error == EPERM)
    return fail(Reason::usage, fmt::format("the run in {} belongs to another user", folder));
  if (error == EAGAIN)
    return fail(Reason::system, "the run does not take any more connections",
                "it may be stopped (Ctrl-Z); `fg` lets it go on");
  return fail_errno("connecting to the run in " + folder, error);
}

}  // namespace

Result<UniqueFd> listen_in(const std::string& folder) {
  const auto doing = "listening in " + folder;
  const auto opened = open_folder(folder);
  auto socket = make_socket();
  if (!opened || !socket) return fail_errno(doing);
  ::unlinkat(opened.get(), kName, 0);
  const auto address = address_in(opened);
  if (::bind(socket.get(), generic(address), sizeof address) != 0) return fail_errno(doing);
  // Until it listens nobody can connect, so the file never lets a stranger in, whatever the umask.
  if (::fchmodat(opened.get(), kName, S_IRUSR | S_IWUSR, 0) != 0 || ::listen(socket.get(), kWaiting) != 0) {
    const auto failed = fail_errno(doing);
    ::unlinkat(opened.get(), kName, 0);
    return failed;
  }
  return socket;
}

void remove_from(const std::string& folder) {
  if (const auto opened = open_folder(folder)) ::unlinkat(opened.get(), kName, 0);
}

Result<UniqueFd> connect_in(const std::string& folder) {
  const auto opened = open_folder(folder);
  if (!opened) return cannot_connect(folder);
  auto socket = make_socket();
  if (!socket) return fail_errno("making a socket");
  const auto address = address_in(opened);
  if (::connect(socket.get(), generic(address), sizeof address) != 0) return cannot_connect(folder);
  // Who listens there could ask for anything: what is said to it, and what it answers, is of its making.
  if (!is_trusted(socket.get()))
    return fail(Reason::usage, fmt::format("the run in {} belongs to another user", folder));
  return socket;
}

bool is_trusted(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace weir::control
