// C files without a build system: how they would be compiled.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

// Empty if there are none in the folder. One program if one file has main, one for each if several have, else
// a library.
std::vector<std::string> commands_for_c(const std::string& folder, const std::string& name);

}  // namespace weir::cli
