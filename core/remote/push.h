// Gives an artifact of the store to a remote: those of its blobs that are not there, and then its record,
// which so never names what is missing.
#pragma once

#include <string>
#include <string_view>

#include "core/remote/remote_line.h"
#include "core/remote/transfer.h"
#include "core/store/store.h"

namespace weir {

struct Pushed {
  enum class What : std::uint8_t { pushed, had_it, trouble, cancelled };
  What what = What::trouble;
  std::string reason = {};  // of trouble, for people
  Moved moved = {};
};

// `recipe` is the document of the artifact's recipe key. Blocks.
Pushed push_artifact(store::Store& store, RemoteLine& line, std::string_view recipe,
                     const store::ArtifactRecord& record, const TransferControl& control);

}  // namespace weir
