#include "core/build/tree_diff.h"

#include <algorithm>
#include <map>

#include "core/store/directory_codec.h"

namespace weir {

namespace {

// A tree that was exchanged as a whole may differ in a million files, and nobody wants to know the number.
constexpr std::size_t kCountedAtMost = 10'000;

// What stands under one name of a directory.
struct Node {
  std::string told;
  std::optional<store::Digest> folder;
};
using Nodes = std::map<std::string, Node, std::less<>>;

Nodes nodes_of(const store::Directory& directory) {
  Nodes nodes;
  for (const auto& file : directory.files)
    nodes[file.name] = {short_digest(file.digest) + (file.executable ? ", executable" : ""), {}};
  for (const auto& link : directory.symlinks) nodes[link.name] = {"link to " + link.target, {}};
  for (const auto& folder : directory.directories) nodes[folder.name] = {"a folder", folder.digest};
  return nodes;
}

// Not recursive: a tree may be deeper than the stack.
class Walk {
 public:
  explicit Walk(const ReadBlob& read) : read_(read) {}

  Result<std::vector<PathDifference>> run(const store::Digest& before, const store::Digest& now) {
    open_.push_back({"", before, now});
    while (!open_.empty() && found_.size() < kCountedAtMost) {
      const auto next = std::move(open_.back());
      open_.pop_back();
      if (auto done = folders(next); !done) return tl::unexpected(done.error());
    }
    return std::move(found_);
  }

 private:
  struct Pair {
    std::string path;  // with its slash; "" for the root
    std::optional<store::Digest> before, now;
  };

  Result<Nodes> nodes(const std::optional<store::Digest>& folder) const {
    if (!folder) return Nodes{};
    const auto bytes = read_(*folder);
    if (!bytes) return tl::unexpected(bytes.error());
    const auto directory = store::decode_directory(*bytes);
    if (!directory) return tl::unexpected(directory.error());
    return nodes_of(*directory);
  }

  Status folders(const Pair& pair) {
    if (pair.before == pair.now) return {};
    const auto before = nodes(pair.before), now = nodes(pair.now);
    if (!before) return tl::unexpected(before.error());
    if (!now) return tl::unexpected(now.error());
    // One that came or went is told by what is in it; an empty one has nothing that could tell.
    if (!pair.before && now->empty()) found_.push_back({pair.path, std::nullopt, "a folder"});
    if (!pair.now && before->empty()) found_.push_back({pair.path, "a folder", std::nullopt});
    for (const auto& [name, node] : *before)
      if (const auto same = now->find(name); same != now->end()) both(pair.path + name, node, same->second);
      else one(pair.path + name, &node, nullptr);
    for (const auto& [name, node] : *now)
      if (before->find(name) == before->end()) one(pair.path + name, nullptr, &node);
    return {};
  }

  void both(const std::string& path, const Node& before, const Node& now) {
    if (before.folder && now.folder) {
      open_.push_back({path + "/", before.folder, now.folder});
    } else if (before.folder || now.folder) {
      one(path, &before, nullptr);
      one(path, nullptr, &now);
    } else if (before.told != now.told) {
      found_.push_back({path, before.told, now.told});
    }
  }

  void one(const std::string& path, const Node* before, const Node* now) {
    const auto& node = before ? *before : *now;
    if (node.folder && before) open_.push_back({path + "/", node.folder, std::nullopt});
    else if (node.folder) open_.push_back({path + "/", std::nullopt, node.folder});
    else if (before) found_.push_back({path, node.told, std::nullopt});
    else found_.push_back({path, std::nullopt, node.told});
  }

  const ReadBlob& read_;
  std::vector<Pair> open_;
  std::vector<PathDifference> found_;
};

}  // namespace

std::string short_digest(const store::Digest& digest) { return digest.hex().substr(0, 16); }

Result<TreeDiff> diff_trees(const ReadBlob& read, const store::Digest& before, const store::Digest& now,
                            std::size_t most) {
  auto found = Walk(read).run(before, now);
  if (!found) return tl::unexpected(found.error());
  TreeDiff diff;
  diff.counted = found->size() < kCountedAtMost;
  std::sort(found->begin(), found->end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  if (found->size() > most) {
    diff.more = found->size() - most;
    found->resize(most);
  }
  diff.paths = std::move(*found);
  return diff;
}

}  // namespace weir
