// Several trees as one: directories merge, equal entries are one, anything else at the same path is an error
// that names both owners, unless it may overlap: then the entry of the last layer is used. Works on directory
// messages alone, so no file is touched; the merged directories are put into the store. Subtrees that only
// one layer has are taken as they are. Under the store's shared lock. Any thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/store/digest.h"
#include "core/store/object_files.h"

namespace weir::store {

struct Layer {
  Digest tree;
  std::string name;  // of the element, for the message
};

// The remedy for entries that would fit together if they may overlap. A folder never overlaps with anything.
inline constexpr std::string_view kInstallOnce = "let only one of them install it";

// Whether files or symlinks at this path may differ between layers. Empty: none may.
using MayOverlap = std::function<bool(std::string_view path)>;

// No layers give the empty tree.
Result<Digest> merge_trees(ObjectFiles& objects, std::span<const Layer> layers,
                           const MayOverlap& may_overlap = {});

}  // namespace weir::store
