#include "core/base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>

namespace weir {

UniqueFd open_beneath_by_parts(int root, std::string_view path, int flags, mode_t mode) {
  UniqueFd at;
  for (;;) {
    const auto end = std::min(path.find('/'), path.size());
    const std::string part(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    const bool is_last = path.empty();
    if (part == ".." || (part.empty() && !at)) {
      errno = part.empty() ? ENOENT : EXDEV;
      return {};
    }
    const int how = is_last ? flags : O_PATH | O_DIRECTORY;
    UniqueFd next(::openat(at ? at.get() : root, part.empty() ? "." : part.c_str(),
                           how | O_NOFOLLOW | O_CLOEXEC, mode));
    struct stat info {};
    // O_PATH opens a link itself.
    if (next && (how & O_PATH) && ::fstat(next.get(), &info) == 0 && S_ISLNK(info.st_mode)) {
      errno = ELOOP;
      return {};
    }
    if (!next || is_last) return next;
    at = std::move(next);
  }
}

UniqueFd open_beneath(int root, const std::string& path, int flags, mode_t mode, Links links) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Links::none) how.resolve |= RESOLVE_NO_SYMLINKS;
  long fd;
  // EAGAIN: something was renamed while the kernel looked at "..", so it could not be sure.
  do fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
  while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  // Kernels before 5.6, and filters that do not know it.
  if (fd < 0 && links == Links::none && (errno == ENOSYS || errno == EPERM))
    return open_beneath_by_parts(root, path, flags, mode);
  return UniqueFd(static_cast<int>(fd));
}

UniqueFd make_directory_beneath(int root, std::string_view path, mode_t mode, Links links) {
  auto directory = open_beneath(root, ".", O_PATH | O_DIRECTORY);
  while (directory && !path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const std::string part(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (::mkdirat(directory.get(), part.c_str(), mode) != 0 && errno != EEXIST) return {};
    // Beneath what is there already, part by part: the way up is never taken.
    directory = open_beneath(directory.get(), part, O_PATH | O_DIRECTORY, 0, links);
  }
  return directory;
}

ParentAndName split_last(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == path.npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace weir
