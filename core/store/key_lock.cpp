#include "core/store/key_lock.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/base/private_fds.h"
#include "core/store/file_tools.h"

namespace weir::store {

namespace {

struct flock one_byte(short type, off_t at) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = at;
  range.l_len = 1;
  return range;
}

}  // namespace

KeyLock::~KeyLock() {
  if (files_) files_->give_back(key_);
}

KeyLockFiles::Place KeyLockFiles::place_of(const Key& key) {
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | key.hash[static_cast<std::size_t>(i)];
  return {number % kBuckets, static_cast<off_t>(number >> 2)};  // a byte must have one behind it
}

std::string KeyLockFiles::name_of(std::size_t bucket) { return fmt::format("locks/{:02x}", bucket); }

Result<std::optional<KeyLock>> KeyLockFiles::try_lock(const Key& key) {
  const auto [number, byte] = place_of(key);
  const std::lock_guard lock(mutex_);
  auto& bucket = buckets_[number];
  if (!bucket.file) {
    const auto name = name_of(number);
    bucket.file = open_lock_file(root_, name);
    if (!bucket.file) return fail_file("opening " + name, errno);
    // Where so many descriptors are not allowed, jobs start a little slower.
    if (UniqueFd moved(::fcntl(bucket.file.get(), F_DUPFD_CLOEXEC, kFirstPrivateFd)); moved)
      bucket.file = std::move(moved);
  }
  if (bucket.held.contains(byte)) return std::nullopt;
  auto range = one_byte(F_WRLCK, byte);
  if (::fcntl(bucket.file.get(), F_OFD_SETLK, &range) != 0) {
    if (errno == EAGAIN || errno == EACCES) return std::nullopt;
    return fail_errno("locking " + name_of(number));
  }
  bucket.held.insert(byte);
  return KeyLock(this, key);
}

void KeyLockFiles::give_back(const Key& key) {
  const auto [number, byte] = place_of(key);
  {
    const std::lock_guard lock(mutex_);
    auto& bucket = buckets_[number];
    auto range = one_byte(F_UNLCK, byte);
    ::fcntl(bucket.file.get(), F_OFD_SETLK, &range);
    bucket.held.erase(byte);
  }
  if (!KeyLockBatch::current) return ring();
  auto& others = KeyLockBatch::current->given_back_;
  if (std::find(others.begin(), others.end(), this) == others.end()) others.push_back(this);
}

// The close is what waiters watch for; a failed attempt to lock closes nothing.
void KeyLockFiles::ring() { const auto bell = open_lock_file(root_, "locks/bell"); }

thread_local KeyLockBatch* KeyLockBatch::current = nullptr;

KeyLockBatch::KeyLockBatch() : around_(std::exchange(current, this)) {}

KeyLockBatch::~KeyLockBatch() {
  current = around_;
  for (auto* files : given_back_) files->ring();
}

}  // namespace weir::store
