#include "core/base/file_stamp.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace weir {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// The finisher of splitmix64: every bit of the input changes half of the output.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash += value + 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31);
}

}  // namespace

FileStamp stamp_of(const StampFacts& facts) {
  auto hash = mixed(facts.device, facts.inode);
  hash = mixed(hash, facts.mode & (S_IFMT | S_IXUSR));
  hash = mixed(hash, S_ISDIR(facts.mode) ? 0 : facts.size);
  hash = mixed(hash, static_cast<std::uint64_t>(facts.mtime_ns));
  hash = mixed(hash, static_cast<std::uint64_t>(facts.ctime_ns));
  return {hash ? hash : 1, std::max(facts.mtime_ns, facts.ctime_ns)};
}

FileStamp stamp_of(const struct stat& info) {
  return stamp_of(StampFacts{info.st_dev, info.st_ino, info.st_mode, static_cast<std::uint64_t>(info.st_size),
                             info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec,
                             info.st_ctim.tv_sec * kSecond + info.st_ctim.tv_nsec});
}

FileStamp stamp_of(const struct statx& info) {
  return stamp_of(StampFacts{::makedev(info.stx_dev_major, info.stx_dev_minor), info.stx_ino, info.stx_mode,
                             info.stx_size, info.stx_mtime.tv_sec * kSecond + info.stx_mtime.tv_nsec,
                             info.stx_ctime.tv_sec * kSecond + info.stx_ctime.tv_nsec});
}

FileStamp stamp_of(const char* path) {
  struct stat info {};
  return ::stat(path, &info) == 0 ? stamp_of(info) : FileStamp{};
}

std::int64_t wall_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace weir
