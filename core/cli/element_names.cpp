#include "core/cli/element_names.h"

#include <algorithm>

#include "core/project/load.h"

namespace weir::cli {

// Files of elements are not opened: their paths are their names.
std::vector<std::string> element_names(const std::string& directory) {
  const auto root = find_project(directory);
  if (!root) return {};
  std::string why_not;
  const auto text = read_file(*root + "/weir.toml", why_not);
  const auto loaded = load_project_texts({{"weir.toml", text.value_or("")}});
  std::vector<std::string> names;
  for (const auto& element : loaded.project.elements) names.push_back(element.name);
  Diagnostics ignored;
  for (const auto& file : list_element_files(*root, loaded.project.elements_folder, ignored))
    names.push_back(file.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace weir::cli
