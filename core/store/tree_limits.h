// How large a tree may be. A tree names its parts by digest, so a few kilobytes can stand for 2^n files:
// sizes count every path, and are added up once for each distinct directory, before anything is merged,
// staged, checked out or copied. The limits are far above what real projects have (docs/cache.md names them).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "core/base/result.h"
#include "core/store/directory_codec.h"

namespace weir::store {

inline constexpr std::uint64_t kMostEntries = 10'000'000;  // files, folders and symlinks
// A path of more levels is longer than PATH_MAX even if each name is one letter. Merging takes a frame of the
// stack for each.
inline constexpr std::uint64_t kMostLevels = 2048;
inline constexpr std::uint64_t kMostTreeBytes = std::uint64_t{1} << 40;  // of all files
inline constexpr std::uint64_t kMostPathBytes = std::uint64_t{1} << 30;  // of the paths of all folders

// Of a directory with all below it, by paths. Sums that do not fit are kMany.
struct TreeSize {
  static constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t entries = 0;      // without the directory itself
  std::uint64_t directories = 1;  // with it
  std::uint64_t levels = 1;
  std::uint64_t bytes = 0;
  std::uint64_t path_bytes = 0;  // of directories, relative to this one
};

// kMany if the sum does not fit.
void add_size(std::uint64_t& to, std::uint64_t more);

// From the sizes of its children.
TreeSize size_of(const Directory& directory, const std::function<TreeSize(const Digest&)>& size_of_child);

// "it has more than 10000000 entries": an error of `reason` if one of the limits is passed.
Status check_tree_size(const TreeSize& size, Reason reason);

}  // namespace weir::store
