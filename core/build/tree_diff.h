// The files in which two trees differ, for people: each by its path, as it was and as it is. Only directories
// whose digests differ are read. Blocks on the store.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/digest.h"

namespace weir {

struct PathDifference {
  std::string path;
  // "0123456789abcdef", "0123456789abcdef, executable", "link to x", "a folder"; nothing: it was or is not
  // there.
  std::optional<std::string> from, to;
};

struct TreeDiff {
  std::vector<PathDifference> paths;  // sorted by path
  std::size_t more = 0;               // that are not in `paths`
  bool counted = true;                // false: there are more than that still, nobody counted
};

// How content is told apart in messages: as many digits as `weir show` has of a key.
std::string short_digest(const store::Digest& digest);

// A blob of the store; Store::read_blob.
using ReadBlob = std::function<Result<std::string>(const store::Digest&)>;

// An error if a directory of either is not in the store any more.
Result<TreeDiff> diff_trees(const ReadBlob& read, const store::Digest& before, const store::Digest& now,
                            std::size_t most);

}  // namespace weir
