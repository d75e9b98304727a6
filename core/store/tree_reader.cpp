#include "core/store/tree_reader.h"

#include <iterator>

#include "core/store/tree_walk.h"

namespace weir::store {

namespace {
constexpr std::size_t kMostDirectories = 10'000'000;
}

Result<Directory> read_directory(ObjectFiles& objects, const Digest& digest) {
  auto bytes = objects.read(digest);
  if (!bytes) return tl::unexpected(bytes.error());
  return decode_directory(*bytes);
}

Result<std::vector<ExpandedDirectory>> expand_tree(ObjectFiles& objects, const Digest& tree,
                                                   const ParallelFor& parallel_for) {
  std::vector<ExpandedDirectory> all(1);
  std::vector<Digest> digests{tree};
  for (std::size_t begin = 0; begin < all.size();) {
    const auto end = all.size();
    auto read = for_each_index(parallel_for, end - begin, [&](std::size_t offset) -> Status {
      auto directory = read_directory(objects, digests[begin + offset]);
      if (!directory) return tl::unexpected(directory.error());
      all[begin + offset].content = std::move(*directory);
      return {};
    });
    if (!read) return tl::unexpected(read.error());
    for (auto i = begin; i < end; ++i) {
      const auto children = all[i].content.directories;  // a copy: `all` grows
      if (all.size() + children.size() > kMostDirectories)
        return fail(Reason::resources,
                    "staging " + tree.text() + ": it has more than ten million directories");
      for (const auto& child : children) {
        all.push_back({join(all[i].path, child.name), {}});
        digests.push_back(child.digest);
      }
    }
    begin = end;
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
