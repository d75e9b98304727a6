#include "core/store/key_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/store/file_tools.h"

namespace weir::store {

namespace {

// A file that was removed between open and flock guards nothing: the name may have a new inode by now.
bool is_current(int root, const std::string& name, int fd) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(fd, &ours) == 0 && ::fstatat(root, name.c_str(), &named, 0) == 0 &&
         ours.st_ino == named.st_ino;
}

}  // namespace

KeyLock::~KeyLock() {
  if (!fd_) return;
  ::unlinkat(root_, name_.c_str(), 0);  // while the lock is held, so nobody else's file is removed
  ::flock(fd_.get(), LOCK_UN);          // before close: a waiter that wakes by the close must find it free
}

Result<std::optional<KeyLock>> try_lock(int root, const Key& key) {
  auto name = "locks/" + key.hex();
  for (;;) {
    // Read-only, so that a failed attempt does not look like a released lock to waiters.
    UniqueFd fd(::openat(root, name.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!fd) return fail_file("creating " + name, errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      return fail_errno("locking " + name);
    }
    if (!is_current(root, name, fd.get())) continue;
    UniqueFd mark(::openat(root, name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!mark) return fail_errno("locking " + name);
    return KeyLock(root, std::move(name), std::move(fd), std::move(mark));
  }
}

}  // namespace weir::store
