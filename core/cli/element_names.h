// The names of a project's elements, for completion: as little is read as can be, nothing is said, written or
// locked, and what is wrong with the project is in nobody's way.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

// Of the project in or above `directory`, sorted; none if there is no project.
std::vector<std::string> element_names(const std::string& directory);

}  // namespace weir::cli
