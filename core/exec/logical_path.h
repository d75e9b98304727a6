// Places of a job in the real file system. A LogicalPath is "<root>/<rest>"; the rest never leaves the root:
// absolute parts, ".." and empty parts are refused here, symlinks that lead out are refused when a step opens
// the path (core/exec/file_steps.h resolves beneath the root).
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir {

struct SplitPath {
  std::string_view root;  // build, install, source, project or cache
  std::string_view rest;  // without a leading slash; may be empty
};

Result<SplitPath> split_logical_path(std::string_view path);

}  // namespace weir
