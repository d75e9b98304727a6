#include "core/store/merge.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/interruption.h"
#include "core/store/tree_limits.h"
#include "core/store/tree_reader.h"
#include "core/store/tree_walk.h"

namespace weir::store {

namespace {

struct Part {
  Digest digest;
  std::size_t layer;
};

struct Owned {
  std::variant<FileNode, SymlinkNode, std::vector<Part>> entry;
  std::size_t layer;  // that it is from; of a directory the first that has it
};

class Merger {
 public:
  Merger(ObjectFiles& objects, std::span<const Layer> layers, const MayOverlap& may_overlap)
      : objects_(objects), layers_(layers), may_overlap_(may_overlap) {}

  Result<Digest> merge(const std::vector<Part>& parts, const std::string& path, std::size_t depth) {
    if (!parts.empty() && all_equal(parts)) return parts.front().digest;
    if (interrupted()) return fail_interrupted();
    if (depth > kMostLevels)
      return fail(Reason::project, "merging trees: " + path.substr(0, 200) + "... is too deep");
    // Where no path may overlap, the same directories are the same merge, under whatever path they are.
    const auto same = may_overlap_ ? std::string() : key_of(parts);
    if (const auto known = merged_.find(same); known != merged_.end()) return known->second;
    auto digest = merge_new(parts, path, depth);
    if (digest && !may_overlap_) merged_.emplace(same, *digest);
    return digest;
  }

 private:
  Result<Digest> merge_new(const std::vector<Part>& parts, const std::string& path, std::size_t depth) {
    std::map<std::string, Owned> names;
    for (const auto& part : parts)
      if (auto added = add(part, path, names); !added) return tl::unexpected(added.error());
    entries_ += names.size();
    if (entries_ > kMostEntries)
      return fail(Reason::project,
                  "merging trees: they have more than " + std::to_string(kMostEntries) + " entries together");
    Directory merged;
    for (auto& [name, owned] : names)
      if (auto taken = take(name, owned, path, depth, merged); !taken) return tl::unexpected(taken.error());
    const auto bytes = encode(merged);
    const auto digest = digest_of(bytes);
    if (auto put = objects_.put(digest, bytes, false); !put) return tl::unexpected(put.error());
    return digest;
  }

  static std::string key_of(const std::vector<Part>& parts) {
    std::string key;
    key.reserve(parts.size() * sizeof(Sha256));
    for (const auto& part : parts) key.append(bytes_of(part.digest.hash));
    return key;
  }

  static bool all_equal(const std::vector<Part>& parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const Part& part) { return part.digest == parts.front().digest; });
  }

  Status add(const Part& part, const std::string& path, std::map<std::string, Owned>& names) {
    auto directory = read_directory(objects_, part.digest);
    if (!directory) return tl::unexpected(directory.error());
    for (auto& file : directory->files)
      if (auto added = add_leaf(std::move(file), part.layer, path, names); !added) return added;
    for (auto& symlink : directory->symlinks)
      if (auto added = add_leaf(std::move(symlink), part.layer, path, names); !added) return added;
    for (auto& child : directory->directories) {
      auto& owned = names.try_emplace(child.name, Owned{std::vector<Part>{}, part.layer}).first->second;
      auto* parts = std::get_if<std::vector<Part>>(&owned.entry);
      if (!parts) return folder_conflict(join(path, child.name), part.layer, owned);
      parts->push_back({child.digest, part.layer});
    }
    return {};
  }

  template <class Node>
  Status add_leaf(Node node, std::size_t layer, const std::string& path,
                  std::map<std::string, Owned>& names) {
    const auto name = node.name;
    const auto [at, is_new] = names.try_emplace(name, Owned{node, layer});
    if (is_new) return {};
    const auto* same = std::get_if<Node>(&at->second.entry);
    if (same && *same == node) return {};
    const auto whole = join(path, name);
    if (std::holds_alternative<std::vector<Part>>(at->second.entry))
      return folder_conflict(whole, at->second.layer, Owned{std::move(node), layer});
    if (!may_overlap_ || !may_overlap_(whole)) return conflict(whole, at->second.layer, layer);
    at->second = Owned{std::move(node), layer};
    return {};
  }

  Status conflict(const std::string& path, std::size_t one, std::size_t other) const {
    return fail(
        Reason::project,
        path + " comes from both " + layers_[one].name + " and " + layers_[other].name + ", and they differ",
        std::string(kInstallOnce));
  }
  Status folder_conflict(const std::string& path, std::size_t layer, const Owned& other) const {
    const auto kind = std::holds_alternative<SymlinkNode>(other.entry) ? "symlink" : "file";
    return fail(Reason::project,
                path + " is a folder in " + layers_[layer].name + " and a " + kind + " in " +
                    layers_[other.layer].name,
                "install one of them elsewhere");
  }

  Status take(const std::string& name, Owned& owned, const std::string& path, std::size_t depth,
              Directory& merged) {
    if (auto* file = std::get_if<FileNode>(&owned.entry)) {
      merged.files.push_back(std::move(*file));
    } else if (auto* symlink = std::get_if<SymlinkNode>(&owned.entry)) {
      merged.symlinks.push_back(std::move(*symlink));
    } else {
      auto digest = merge(std::get<std::vector<Part>>(owned.entry), join(path, name), depth + 1);
      if (!digest) return tl::unexpected(digest.error());
      merged.directories.push_back({name, *digest});
    }
    return {};
  }

  ObjectFiles& objects_;
  std::span<const Layer> layers_;
  const MayOverlap& may_overlap_;
  std::unordered_map<std::string, Digest> merged_;  // by the digests of what was merged
  std::uint64_t entries_ = 0;
};

}  // namespace

Result<Digest> merge_trees(ObjectFiles& objects, std::span<const Layer> layers,
                           const MayOverlap& may_overlap) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < layers.size(); ++i) parts.push_back({layers[i].tree, i});
  return Merger(objects, layers, may_overlap).merge(parts, "", 0);
}

}  // namespace weir::store
