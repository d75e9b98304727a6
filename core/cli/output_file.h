// What a command was asked to write somewhere.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir::cli {

// "-" is standard output. A file is replaced by a whole one or stays as it was; a device or a pipe is written
// to. Links of other users are refused.
Status write_output(const std::string& path, std::string_view text);

}  // namespace weir::cli
