// A tree of the store as a tar archive, the same bytes every time: names in order, one fixed time, owner 0.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/store/store.h"

namespace weir::cli {

// `path` "-" is standard output. A file is complete or not there.
Status write_tar(store::Store& store, const store::Digest& tree, const std::string& path);

}  // namespace weir::cli
