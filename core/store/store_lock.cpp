#include "core/store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string>

#include "core/base/assert.h"
#include "core/store/file_tools.h"

namespace weir::store {

namespace {

void lock_file(int fd, int how) {
  int done = 0;
  do done = ::flock(fd, how);
  while (done != 0 && errno == EINTR);
  WEIR_ASSERT(done == 0, "flock({}) of the store: errno {}", how, errno);
}

}  // namespace

Result<UniqueFd> StoreLock::open_file(const char* name) const {
  auto fd = open_lock_file(root_, name);
  if (!fd) return fail_errno(std::string("opening ") + name + " of the store");
  return fd;
}

Status StoreLock::open() {
  auto turnstile = open_file("turnstile");
  if (!turnstile) return tl::unexpected(turnstile.error());
  auto lock = open_file("lock");
  if (!lock) return tl::unexpected(lock.error());
  turnstile_ = std::move(*turnstile);
  lock_ = std::move(*lock);
  return {};
}

StoreLock::Shared StoreLock::shared() {
  // Passing is enough: whoever comes through just before gc closes it is waited for at `lock`.
  lock_file(turnstile_.get(), LOCK_SH);
  lock_file(turnstile_.get(), LOCK_UN);
  const std::lock_guard guard(mutex_);
  if (readers_ == 0) lock_file(lock_.get(), LOCK_SH);
  ++readers_;
  return Shared(this);
}

bool StoreLock::is_free() {
  if (::flock(turnstile_.get(), LOCK_SH | LOCK_NB) != 0) return false;
  lock_file(turnstile_.get(), LOCK_UN);
  return true;
}

void StoreLock::unlock_shared() {
  const std::lock_guard guard(mutex_);
  WEIR_ASSERT(readers_ > 0, "the store's lock was given back twice");
  if (--readers_ == 0) lock_file(lock_.get(), LOCK_UN);
}

Result<StoreLock::Exclusive> StoreLock::exclusive() const {
  // Descriptors of its own: flock belongs to the open file, so readers of this process are waited for as
  // well.
  auto turnstile = open_file("turnstile");
  if (!turnstile) return tl::unexpected(turnstile.error());
  auto lock = open_file("lock");
  if (!lock) return tl::unexpected(lock.error());
  lock_file(turnstile->get(), LOCK_EX);
  lock_file(lock->get(), LOCK_EX);
  return Exclusive{std::move(*turnstile), std::move(*lock)};
}

}  // namespace weir::store
