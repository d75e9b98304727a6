// Reading trees from the store: one directory, a whole tree level by level, and what a tree is made of.
// Under the store's shared or exclusive lock. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/result.h"
#include "core/store/directory_codec.h"
#include "core/store/object_files.h"
#include "core/store/parallel.h"
#include "core/store/tree_limits.h"

namespace weir::store {

Result<Directory> read_directory(ObjectFiles& objects, const Digest& digest);

// Every directory of a tree once, however many paths lead to it.
class DistinctTree {
 public:
  using Content = std::shared_ptr<const Directory>;
  // Refuses a tree that is too large (tree_limits.h).
  static Result<DistinctTree> read(ObjectFiles& objects, const Digest& tree, const ParallelFor& parallel_for);

  const Digest& root() const { return order_.front(); }
  const Content& content(const Digest& digest) const { return contents_.at(digest); }
  const std::vector<Digest>& directories() const { return order_; }  // by the first level that has them
  std::uint64_t paths() const { return paths_; }                     // how many directories they stand for

 private:
  DistinctTree() = default;
  Status measure();

  std::vector<Digest> order_;
  std::unordered_map<Digest, Content, HashOf> contents_;
  std::uint64_t paths_ = 0;
};

struct ExpandedDirectory {
  std::string path;  // relative; the root is ""
  DistinctTree::Content content;
};
// Every directory of a tree by its path, parents first. A tree that is too large is an error.
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
