// A `Tree` message from elsewhere: its directories, children before their parents, and the files that they
// name.
#pragma once

#include <string_view>
#include <vector>

#include "core/store/directory_codec.h"

namespace weir {

struct SharedFile {
  store::Digest digest;
  bool executable = false;
};

struct SharedTree {
  std::vector<store::Directory> directories;  // the root is the last
  store::Digest root;
  std::vector<SharedFile> files;  // each content once
};

// An error: it is damaged, names directories that are not in it, or is too large (core/store/tree_limits.h).
Result<SharedTree> unpack_tree(std::string_view bytes);

}  // namespace weir
