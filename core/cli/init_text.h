// The files that `weir init` writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/cli/found_elements.h"
#include "core/cli/new_files.h"

namespace weir::cli {

// weir.toml of what was found in a folder; nothing found is the template `empty`.
NewFile project_of(const std::string& project, const std::vector<FoundElement>& elements);

// weir.toml comes last. An unknown name has no files.
std::vector<NewFile> template_files(std::string_view name, const std::string& project);
std::vector<std::string> template_names();

}  // namespace weir::cli
