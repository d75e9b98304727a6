// Making trees from trees, without touching a file. Blocks on the store; any thread but the loop's.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/store/store.h"

namespace weir {

Result<store::Digest> empty_tree(store::Store& store);
// A tree with nothing but an empty directory at `path`, without a store: what tree_at() gives for an empty
// tree.
store::Digest empty_tree_at(std::string_view path);
// What is at `path` ("" is all): a directory, or a tree with that one file. Reason::project if it is not
// there.
Result<store::Digest> subtree(store::Store& store, const store::Digest& tree, std::string_view path);
// A tree that has `tree` at `path`.
Result<store::Digest> tree_at(store::Store& store, const store::Digest& tree, std::string_view path);

}  // namespace weir
