#include "plugins/host/plugin_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/program.h"

namespace weir {

namespace fs = std::filesystem;

namespace {

using Origin = PluginPlace::Origin;

std::string user_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/')
    return std::string(data) + "/weir/plugins";
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.local/share/weir/plugins";
  return {};
}

void add(PluginPath& all, Origin origin, const fs::path& path) {
  auto place = path.lexically_normal().string();
  if (place.ends_with('/')) place.pop_back();
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const PluginPlace& one) { return one.path == place; });
  if (!known && !place.empty()) all.push_back({origin, std::move(place)});
}

void add_environment(PluginPath& all) {
  const char* given = std::getenv("WEIR_PLUGIN_PATH");
  std::string_view rest = given ? given : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (end > 0) add(all, Origin::environment, fs::absolute(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

std::string_view to_string(Origin origin) {
  constexpr std::string_view kNames[] = {"project", "environment", "user", "weir", "system"};
  return kNames[static_cast<std::size_t>(origin)];
}

PluginPath plugin_path(const std::vector<std::string>& project, const std::string& root) {
  PluginPath all;
  for (const auto& one : project) add(all, Origin::project, fs::path(root) / one);
  add_environment(all);
  add(all, Origin::user, user_folder());
  if (const auto program = program_folder(); !program.empty())
    add(all, Origin::weir, fs::path(program) / "../lib/weir/plugins");
  add(all, Origin::system, "/usr/local/lib/weir/plugins");
  add(all, Origin::system, "/usr/lib/weir/plugins");
  return all;
}

std::string library_name(PluginType type, std::string_view kind) {
  return fmt::format("{}-{}.so", to_string(type), kind);
}

std::vector<FoundLibrary> list_libraries(const PluginPath& path) {
  std::vector<FoundLibrary> all;
  for (const auto& place : path) {
    if (place.is_file()) {
      all.push_back({place.origin, place.path, fs::path(place.path).filename().string()});
      continue;
    }
    std::vector<std::string> names;
    std::error_code error;
    for (auto at = fs::directory_iterator(place.path, error); !error && at != fs::directory_iterator();
         at.increment(error))
      if (at->path().extension() == ".so") names.push_back(at->path().filename().string());
    std::sort(names.begin(), names.end());
    for (auto& name : names) all.push_back({place.origin, place.path + "/" + name, name});
  }
  return all;
}

}  // namespace weir
