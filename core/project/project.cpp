#include "core/project/project.h"

#include <algorithm>

namespace weir {

namespace {
template <class T>
const T* find_named(const std::vector<T>& sorted, std::string_view name) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), name,
                                   [](const T& item, std::string_view n) { return item.name < n; });
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}
}  // namespace

const Element* Project::find(std::string_view element) const { return find_named(elements, element); }
const Resource* Project::resource(std::string_view resource_name) const {
  return find_named(resources, resource_name);
}

const QueueConfig* Project::queue_config(std::string_view queue) const {
  const auto at = std::find_if(queue_configs.begin(), queue_configs.end(),
                               [&](const QueueConfig& one) { return one.name.text == queue; });
  return at == queue_configs.end() ? nullptr : &*at;
}

std::vector<std::string> plugin_folders(const Project& project) {
  std::vector<std::string> folders;
  for (const auto& path : project.plugin_path) folders.push_back(path.text);
  return folders;
}

TextMap environment_of(const Project& project, const Element& element) {
  std::map<std::string, std::string> merged(element.env.begin(), element.env.end());
  merged.insert(project.env.begin(), project.env.end());
  return {merged.begin(), merged.end()};
}

TextMap variables_of(const Project& project, const Element& element) {
  if (project.env_variables.empty()) return element.variables;
  std::map<std::string, std::string> merged(element.variables.begin(), element.variables.end());
  merged.insert(project.env_variables.begin(), project.env_variables.end());
  return {merged.begin(), merged.end()};
}

}  // namespace weir
