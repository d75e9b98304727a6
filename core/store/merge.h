// Several trees as one: directories merge, equal entries are one, anything else at the same path is an error
// that names both owners. Works on directory messages alone, so no file is touched; the merged directories
// are put into the store. Subtrees that only one layer has are taken as they are. Under the store's shared
// lock. Any thread.
#pragma once

#include <span>
#include <string>

#include "core/base/result.h"
#include "core/store/digest.h"
#include "core/store/object_files.h"

namespace weir::store {

struct Layer {
  Digest tree;
  std::string name;  // of the element, for the message
};

// No layers give the empty tree.
Result<Digest> merge_trees(ObjectFiles& objects, std::span<const Layer> layers);

}  // namespace weir::store
