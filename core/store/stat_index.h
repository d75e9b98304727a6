// Remembers the digests of the files of an imported directory by what stat says of them, so that an unchanged
// source is not read again. One file stat/<hash of the path> for each imported directory, replaced whole.
//
// An entry is believed if device, inode, size, mtime, ctime and the executable bit are the same, and if
// neither time is as young as the moment the entry was taken: a file that was written once more within the
// clock's tick would look unchanged (git's racy rule). The slack is two seconds, the coarsest clock of a file
// system in use (FAT). An index of another epoch or boot (epoch.h) is believed about the files, but their
// objects must be looked for.
//
// Owned by one import; one thread, but find() may be called by many.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_stamp.h"
#include "core/base/result.h"
#include "core/store/digest.h"
#include "core/store/store_dir.h"

namespace weir::store {

struct FileStat {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  bool executable = false;
  bool operator==(const FileStat&) const = default;
};
FileStat file_stat(const struct stat& info);
FileStamp stamp_of(const FileStat& stat);  // of a regular file

// A body with its checksum before it, and the body if the checksum is right: such files decide what is not
// read, so a flipped bit must not pass.
std::string with_checksum(std::string_view body);
std::string_view checked_body(std::string_view bytes);

class StatIndex {
 public:
  struct Item {
    std::string path;  // relative to the directory
    FileStat stat;
    Digest digest;
  };

  // `directory` is the absolute path of what is imported. A damaged or missing index is an empty one.
  static StatIndex load(const StoreDir& dir, const std::string& directory, std::string_view stamp);
  // Null if the file must be read.
  const Digest* find(std::string_view path, const FileStat& stat) const;
  bool objects_are_known() const { return same_stamp_; }
  std::size_t size() const { return items_.size(); }

  // `taken_ns`: the wall time before the first file was looked at. Items that are too young are left out.
  static Status save(StoreDir& dir, const std::string& directory, std::string_view stamp,
                     std::int64_t taken_ns, std::vector<Item> items);
  // Removes the indexes of directories that are gone. For gc.
  static void sweep(const StoreDir& dir);
  // Everything is read again. Needs no room on the disk.
  static Status remove_all(const StoreDir& dir);
  static bool is_settled(const FileStat& stat, std::int64_t taken_ns);

 private:
  std::vector<Item> items_;  // sorted by path
  bool same_stamp_ = false;
};

}  // namespace weir::store
