// Reading trees from the store: one directory, a whole tree level by level, and what a tree is made of.
// Under the store's shared or exclusive lock. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/result.h"
#include "core/store/directory_codec.h"
#include "core/store/object_files.h"
#include "core/store/parallel.h"

namespace weir::store {

Result<Directory> read_directory(ObjectFiles& objects, const Digest& digest);

struct ExpandedDirectory {
  std::string path;  // relative; the root is ""
  Directory content;
};
// Every directory of a tree, parents first. A tree names its parts by digest, so a few kilobytes from a
// remote can stand for 2^n directories: more than ten million are refused.
Result<std::vector<ExpandedDirectory>> expand_tree(ObjectFiles& objects, const Digest& tree,
                                                   const ParallelFor& parallel_for);

// The objects that trees are made of, each directory read once however many trees share it. For gc and
// verify: one thread.
class Reach {
 public:
  explicit Reach(ObjectFiles& objects) : objects_(objects) {}

  using Found = std::unordered_set<Digest, HashOf>;
  // Adds the tree and all below it; what is in `found` already is not looked at again. An error if a
  // directory is missing or damaged; `found` then holds a part.
  Status add_tree(const Digest& tree, Found& found);

 private:
  struct Parts {
    std::vector<Digest> files;
    std::vector<Digest> directories;
  };
  Result<const Parts*> parts_of(const Digest& directory);
  ObjectFiles& objects_;
  std::unordered_map<Digest, Parts, HashOf> known_;
};

}  // namespace weir::store
