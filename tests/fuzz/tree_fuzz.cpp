// A Tree message, and what is made of one from a remote: every directory that is named is there, children
// come before their parents, and each is there once.
#include <set>

#include "core/remote/shared_tree.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

namespace {

void check_tree_order(SharedTree& shared) {
  std::set<store::Digest> seen;
  for (auto& directory : shared.directories) {
    for (const auto& child : directory.directories)
      WEIR_ASSERT(seen.count(child.digest) == 1, "{} comes after its parent", child.name);
    seen.insert(store::digest_of(store::encode(directory)));
  }
  WEIR_ASSERT(!shared.directories.empty() && seen.count(shared.root) == 1, "the root is not there");
  WEIR_ASSERT(seen.size() == shared.directories.size(), "a directory is there twice");
  std::set<store::Digest> files;
  for (const auto& file : shared.files)
    WEIR_ASSERT(files.insert(file.digest).second, "a file is there twice");
}

// A tree that is built: each directory may name any of those before it.
std::string built_tree(fuzz::Choices& choices) {
  store::Tree tree;
  std::vector<store::Digest> made;
  while (!choices.empty() && made.size() < 40) {
    store::Directory directory;
    for (std::uint32_t left = choices.below(4), i = 0; i < left; ++i)
      directory.files.push_back({"f" + std::to_string(i), {{}, choices.byte()}, choices.below(2) == 1});
    for (std::uint32_t left = choices.byte() % 4, i = 0; i < left && !made.empty(); ++i)
      directory.directories.push_back({"d" + std::to_string(i), made[choices.byte() % made.size()]});
    if (choices.byte() % 8 == 0) directory.symlinks.push_back({"l", "../x"});
    made.push_back(store::digest_of(store::encode(directory)));
    tree.root = directory;
    if (choices.byte() % 16 != 0) tree.children.push_back(std::move(directory));
  }
  return store::encode(tree);
}

}  // namespace

WEIR_FUZZ_TARGET(tree) {
  fuzz::Choices choices(input);
  const bool built = choices.byte() % 2 == 1;
  const std::string bytes = built ? built_tree(choices) : std::string(choices.rest());
  auto tree = store::decode_tree(bytes);
  auto shared = unpack_tree(bytes);
  WEIR_ASSERT(!shared || tree, "unpacked, and not a tree");
  if (built) WEIR_ASSERT(tree.has_value(), "its own bytes are refused: {}", tree.error().message);
  if (tree) {
    const auto again = store::decode_tree(store::encode(*tree));
    WEIR_ASSERT(again && *again == *tree, "a tree changed by writing it");
  }
  if (shared) check_tree_order(*shared);
}

}  // namespace weir
