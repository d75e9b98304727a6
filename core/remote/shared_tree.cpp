#include "core/remote/shared_tree.h"

#include <unordered_map>
#include <unordered_set>

#include "core/base/interruption.h"
#include "core/store/tree_limits.h"

namespace weir {

namespace {

class Unpacker {
 public:
  explicit Unpacker(store::Tree tree) : tree_(std::move(tree)) {
    for (std::size_t i = 0; i < tree_.children.size(); ++i)
      children_.emplace(store::digest_of(store::encode(tree_.children[i])), i);
  }

  // A directory names its children by their hashes, so none is below itself; but it may be deep, so no
  // recursion.
  Result<SharedTree> run() {
    open_.push_back({nullptr, tree_.root});
    while (!open_.empty()) {
      if (interrupted()) return fail_interrupted();
      if (open_.back().next < open_.back().directory.directories.size()) {
        if (auto entered = enter(open_.back().directory.directories[open_.back().next++].digest); !entered)
          return tl::unexpected(entered.error());
      } else if (auto left = leave(); !left) {
        return tl::unexpected(left.error());
      }
    }
    out_.root = store::digest_of(store::encode(out_.directories.back()));
    return std::move(out_);
  }

 private:
  struct Open {
    const store::Digest* digest;
    store::Directory directory;
    std::size_t next = 0;
  };

  Status enter(const store::Digest& digest) {
    const auto child = children_.find(digest);
    if (child == children_.end())
      return fail(Reason::network, "the tree names a directory that is not in it");
    if (entered_.insert(digest).second) open_.push_back({&child->first, tree_.children[child->second]});
    return {};
  }

  Status leave() {
    auto& left = open_.back();
    const auto size = store::size_of(left.directory, [this](const auto& child) { return sizes_.at(child); });
    if (auto fits = store::check_tree_size(size, Reason::network); !fits)
      return fail(Reason::network, "a tree is refused: " + fits.error().message);
    if (left.digest) sizes_.emplace(*left.digest, size);
    for (const auto& file : left.directory.files)
      if (seen_.insert(file.digest).second) out_.files.push_back({file.digest, file.executable});
    out_.directories.push_back(std::move(left.directory));
    open_.pop_back();
    return {};
  }

  store::Tree tree_;
  std::unordered_map<store::Digest, std::size_t, store::HashOf> children_;
  std::unordered_map<store::Digest, store::TreeSize, store::HashOf> sizes_;  // of those that were left
  std::unordered_set<store::Digest, store::HashOf> entered_, seen_;
  std::vector<Open> open_;
  SharedTree out_;
};

}  // namespace

Result<SharedTree> unpack_tree(std::string_view bytes) {
  auto tree = store::decode_tree(bytes);
  if (!tree) return tl::unexpected(tree.error());
  return Unpacker(std::move(*tree)).run();
}

}  // namespace weir
