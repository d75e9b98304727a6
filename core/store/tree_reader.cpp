#include "core/store/tree_reader.h"

#include "core/base/interruption.h"
#include "core/store/tree_walk.h"

namespace weir::store {

namespace {

tl::unexpected<Error> refuse_tree(const Digest& tree, const Error& why) {
  return fail(why.reason, "the tree " + tree.hex().substr(0, 16) + " is refused: " + why.message, why.remedy);
}

}  // namespace

Result<Directory> read_directory(ObjectFiles& objects, const Digest& digest) {
  auto bytes = objects.read(digest);
  if (!bytes) return tl::unexpected(bytes.error());
  return decode_directory(*bytes);
}

// Level by level, as long as a level has directories that no level before had: such a level is deeper than
// the ones before, so their number is bounded as well.
Result<DistinctTree> DistinctTree::read(ObjectFiles& objects, const Digest& tree,
                                        const ParallelFor& parallel_for) {
  DistinctTree all;
  all.order_.push_back(tree);
  all.contents_.emplace(tree, nullptr);
  std::uint64_t levels = 0;
  for (std::size_t begin = 0; begin < all.order_.size();) {
    const auto end = all.order_.size();
    std::vector<Content> level(end - begin);
    auto read = for_each_index(parallel_for, end - begin, [&](std::size_t offset) -> Status {
      if (interrupted()) return fail_interrupted();
      auto directory = read_directory(objects, all.order_[begin + offset]);
      if (!directory) return tl::unexpected(directory.error());
      level[offset] = std::make_shared<const Directory>(std::move(*directory));
      return {};
    });
    if (!read) return tl::unexpected(read.error());
    for (auto i = begin; i < end; ++i) {
      auto& content = all.contents_.at(all.order_[i]);
      content = std::move(level[i - begin]);
      for (const auto& child : content->directories)
        if (all.contents_.try_emplace(child.digest, nullptr).second) all.order_.push_back(child.digest);
    }
    if (++levels > kMostLevels || all.order_.size() > kMostEntries) {
      TreeSize size;
      size.levels = levels;
      size.entries = all.order_.size();
      return refuse_tree(tree, check_tree_size(size, Reason::resources).error());
    }
    begin = end;
  }
  if (auto measured = all.measure(); !measured) return refuse_tree(tree, measured.error());
  return all;
}

// Children first and without recursion: no directory is below itself, since it names its children by their
// hashes.
Status DistinctTree::measure() {
  std::unordered_map<Digest, TreeSize, HashOf> sizes;
  sizes.reserve(order_.size());
  struct Open {
    const Digest* digest;
    const Directory* directory;
    std::size_t next = 0;
  };
  std::vector<Open> open{{&order_.front(), contents_.at(order_.front()).get()}};
  while (!open.empty()) {
    auto& at = open.back();
    if (at.next < at.directory->directories.size()) {
      const auto& child = at.directory->directories[at.next++].digest;
      if (!sizes.contains(child)) open.push_back({&child, contents_.at(child).get()});
      continue;
    }
    const auto size = size_of(*at.directory, [&](const Digest& child) { return sizes.at(child); });
    if (auto fits = check_tree_size(size, Reason::resources); !fits) return fits;
    paths_ = size.directories;
    sizes.emplace(*at.digest, size);
    open.pop_back();
  }
  return {};
}

Result<std::vector<ExpandedDirectory>> expand_tree(ObjectFiles& objects, const Digest& tree,
                                                   const ParallelFor& parallel_for) {
  const auto distinct = DistinctTree::read(objects, tree, parallel_for);
  if (!distinct) return tl::unexpected(distinct.error());
  std::vector<ExpandedDirectory> all;
  all.reserve(distinct->paths());
  all.push_back({"", distinct->content(tree)});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (interrupted()) return fail_interrupted();
    for (const auto& child : all[i].content->directories)
      all.push_back({join(all[i].path, child.name), distinct->content(child.digest)});
  }
  return all;
}

Result<const Reach::Parts*> Reach::parts_of(const Digest& digest) {
  if (const auto known = known_.find(digest); known != known_.end()) return &known->second;
  auto directory = read_directory(objects_, digest);
  if (!directory) return tl::unexpected(directory.error());
  Parts parts;
  for (const auto& file : directory->files) parts.files.push_back(file.digest);
  for (const auto& child : directory->directories) parts.directories.push_back(child.digest);
  return &known_.emplace(digest, std::move(parts)).first->second;
}

Status Reach::add_tree(const Digest& tree, Found& found) {
  std::vector<Digest> open{tree};
  while (!open.empty()) {
    if (interrupted()) return fail_interrupted();
    const auto digest = open.back();
    open.pop_back();
    auto parts = parts_of(digest);
    if (!parts) return tl::unexpected(parts.error());
    if (!found.insert(digest).second) continue;
    found.insert((*parts)->files.begin(), (*parts)->files.end());
    for (const auto& child : (*parts)->directories)
      if (!found.count(child)) open.push_back(child);
  }
  return {};
}

}  // namespace weir::store
