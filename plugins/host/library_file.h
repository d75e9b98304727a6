// A shared library as a file: whether it can be loaded at all. The loader of the system would say less of it,
// and a file that was cut short would kill the process.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace weir {

// Reason::project, with what it is instead.
Status check_library_file(const std::string& path);

// The names that it exports, sorted.
Result<std::vector<std::string>> exported_symbols(const std::string& path);

}  // namespace weir
