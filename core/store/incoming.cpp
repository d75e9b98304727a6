#include "core/store/incoming.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace weir::store {

namespace {

constexpr std::size_t kReadAtOnce = 256 << 10;
constexpr std::uint64_t kWriteback = 8 << 20;

}  // namespace

Result<Incoming> Incoming::create(StoreDir& dir, const Digest& expected, bool executable) {
  Incoming incoming(dir, expected, executable);
  auto name = dir.temporary();
  UniqueFd fd;
  if (const int error = dir.files().create(dir.root(), name.c_str(), 0600, fd))
    return fail_errno("receiving a blob", error);
  incoming.name_ = std::move(name);
  incoming.fd_ = std::make_shared<UniqueFd>(std::move(fd));
  incoming.hasher_ = std::make_unique<Hasher>();
  return incoming;
}

Incoming& Incoming::operator=(Incoming&& other) noexcept {
  discard();
  dir_ = other.dir_;
  expected_ = other.expected_;
  executable_ = other.executable_;
  name_ = std::exchange(other.name_, {});
  fd_ = std::move(other.fd_);
  hasher_ = std::move(other.hasher_);
  looked_ = other.looked_;
  written_ = other.written_;
  return *this;
}

void Incoming::discard() {
  if (!name_.empty()) (void)dir_->files().unlink(dir_->root(), name_.c_str());
  name_.clear();
}

Status Incoming::look(std::uint64_t bytes) {
  static thread_local const auto buffer = std::make_unique<char[]>(kReadAtOnce);
  while (looked_ < bytes) {
    const auto want = std::min<std::uint64_t>(kReadAtOnce, bytes - looked_);
    const auto got = ::pread(fd(), buffer.get(), want, static_cast<off_t>(looked_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("reading a blob that came in");
    if (got == 0) return {};
    hasher_->update({buffer.get(), static_cast<std::size_t>(got)});
    looked_ += static_cast<std::uint64_t>(got);
    start_writeback();
  }
  return {};
}

// What is to be durable in the end goes to the disk while the rest still comes. If that cannot be, it only
// takes longer.
void Incoming::start_writeback() {
  if (looked_ - written_ < kWriteback) return;
  (void)::sync_file_range(fd(), static_cast<off_t>(written_), static_cast<off_t>(looked_ - written_),
                          SYNC_FILE_RANGE_WRITE);
  written_ = looked_;
}

Status Incoming::restart() {
  if (::ftruncate(fd(), 0) != 0 || ::lseek(fd(), 0, SEEK_SET) != 0)
    return fail_errno("receiving a blob again");
  (void)hasher_->finish();
  looked_ = written_ = 0;
  return {};
}

Result<bool> Incoming::is_right() {
  struct stat info {};
  if (::fstat(fd(), &info) != 0) return fail_errno("looking at a blob that came in");
  if (static_cast<std::uint64_t>(info.st_size) != expected_.size) return false;
  if (auto looked = look(expected_.size); !looked) return tl::unexpected(looked.error());
  return hasher_->finish() == expected_;
}

}  // namespace weir::store
