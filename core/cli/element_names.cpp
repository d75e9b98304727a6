#include "core/cli/element_names.h"

#include <algorithm>

#include "core/project/load.h"

namespace weir::cli {

// Files of elements are not opened: their paths are their names.
std::vector<std::string> element_names(const std::string& directory) {
  const auto root = find_project(directory);
  if (!root) return {};
  const ProjectFolder folder(*root);
  const auto file = folder.read("weir.toml");
  const auto loaded = load_project_texts({{"weir.toml", file.text.value_or("")}});
  std::vector<std::string> names;
  for (const auto& element : loaded.project.elements) names.push_back(element.name);
  Diagnostics ignored;
  if (folder.leads_to(loaded.project.elements_folder).empty())
    for (const auto& element : list_element_files(*root, loaded.project.elements_folder, ignored))
      names.push_back(element.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace weir::cli
