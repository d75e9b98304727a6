// What stat says of a path, small enough to be kept by the hundred thousand: to find out whether a file is
// the one that was read before without reading it.
//
// A stamp is a hash of device, inode, type, executable bit, size, mtime and ctime: ctime too, since it cannot
// be set back. A file that was written once more within one tick of the clock has the same stamp, so a stamp
// is believed only if both times were old when it was taken (git's racy rule): is_settled().
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace weir {

struct FileStamp {
  std::uint64_t value = 0;     // 0: there is no such file
  std::int64_t newest_ns = 0;  // the younger of mtime and ctime
};

// What goes into one. Of the mode, type and executable bit count; the size of a directory does not.
struct StampFacts {
  std::uint64_t device, inode, mode, size;
  std::int64_t mtime_ns, ctime_ns;
};
FileStamp stamp_of(const StampFacts& facts);
FileStamp stamp_of(const struct stat& info);
FileStamp stamp_of(const struct statx& info);
// Follows symbolic links.
FileStamp stamp_of(const char* path);

// `taken_ns`: the wall time before the file was looked at. Two seconds are the coarsest clock of a file
// system in use (FAT).
inline bool is_settled(std::int64_t newest_ns, std::int64_t taken_ns) {
  return newest_ns + 2'000'000'000 < taken_ns;
}

// The clock that file systems stamp with.
std::int64_t wall_clock_ns();

}  // namespace weir
