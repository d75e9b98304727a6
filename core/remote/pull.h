// Brings an artifact from a remote into the store: its record, its tree, and those of its blobs that are not
// there yet. Every byte is checked before it is used. What is wrong (a blob that is another, a record that
// names what is not there, a recipe of something else) counts as a miss, is told once for each remote, and
// noted so that the next push replaces it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/remote/remote_line.h"
#include "core/remote/transfer.h"
#include "core/store/store.h"

namespace weir {

struct Pulled {
  enum class What : std::uint8_t { pulled, missing, trouble, cancelled };
  What what = What::missing;
  store::ArtifactRecord record = {};  // if it was pulled; all that it names is in the store
  std::string remote = {};            // from where, as people may see it
  std::string reason = {};            // of trouble, for people
  Moved moved = {};
};

// From the first of the lines that has it. `recipe` is the document of the artifact's recipe key. Blocks.
Pulled pull_artifact(store::Store& store, std::span<RemoteLine* const> lines, std::string_view recipe,
                     const TransferControl& control);

// Whether a document of a resolved key is about the same thing as one of a recipe key: all but its
// dependencies is the same, and the direct ones are among those that it lists. A check against mistakes: who
// may write to a remote decides on the content of artifacts anyway (docs/remotes.md, Trust).
bool is_same_recipe(std::string_view recipe, std::string_view resolved);

}  // namespace weir
