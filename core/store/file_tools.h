// Small helpers over descriptors that several parts of the store need. No state; any thread.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir::store {

// The one mtime of everything that is staged: 2011-11-11 11:11:11 UTC. Not 0: some tools take that for "no
// time", and zip cannot hold years before 1980.
inline constexpr std::int64_t kFixedMtime = 1321009871;
inline constexpr mode_t kPlainMode = 0444;
inline constexpr mode_t kExecutableMode = 0555;
inline constexpr mode_t kStagedDirectoryMode = 0755;
// Of the store's own files, read as a whole: a record with a recipe of a million entries has a tenth of it. A
// longer one is damaged, and there may be no memory for it.
inline constexpr off_t kLongestSmallFile = off_t{1} << 30;

// As fail_errno, and a file size limit counts as a lack of room too.
tl::unexpected<Error> fail_file(std::string_view doing, int error_number);

// Opens a directory below `root` by its relative path ("" is root itself). Paths longer than PATH_MAX are
// opened in pieces: a tree of 1,000 levels is legal. The last part is never followed if it is a symlink.
Result<UniqueFd> open_directory(int root, const std::string& path);

int write_all(int fd, std::string_view bytes);                 // 0 or an error number
Result<std::string> read_all(int fd, std::string_view doing);  // from the current position to the end
// A file of the store itself, mostly a few kilobytes. EINVAL if it is not a regular file, EFBIG if it is too
// long.
Result<std::string> read_small_file(int directory, const char* name);
// For reading, without following a symlink and without waiting for the other end of a fifo.
UniqueFd open_for_reading(int directory, const char* name);
// As open_for_reading, and a regular file; no descriptor and EINVAL if it is something else.
UniqueFd open_regular(int directory, const char* name);
// For locks on it: made if it is missing, or if a folder or a symlink is in its place.
UniqueFd open_lock_file(int directory, const std::string& name);
// Removes a fifo, folder or symlink in the place of a file that is about to be written.
Status remove_unless_regular(int directory, const std::string& name);

int set_fixed_mtime(int fd);

// The names in a directory without "." and "..", with the type byte of readdir; unsorted.
struct Entry {
  std::string name;
  unsigned char type;  // DT_*; DT_UNKNOWN where the file system does not say
};
Result<std::vector<Entry>> list_directory(int directory);

// Removes a directory and all below it, however deep and whatever its modes; symlinks are removed, never
// followed. What is gone already is fine.
Status remove_tree(int directory, const std::string& name);

}  // namespace weir::store
