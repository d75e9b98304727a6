// Where plugins are looked for, in this order: the project's [plugins] path, WEIR_PLUGIN_PATH (for those who
// work on one), the user's folder, weir's own folder beside the program, the system's folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugins/host/plugin_library.h"

namespace weir {

struct PluginPlace {
  enum class Origin : std::uint8_t { project, environment, user, weir, system };
  Origin origin;
  std::string path;  // a folder, or one library
  bool is_file() const { return path.ends_with(".so"); }
};
std::string_view to_string(PluginPlace::Origin origin);

using PluginPath = std::vector<PluginPlace>;

// `project` as in weir.toml; relative ones are below `root`.
PluginPath plugin_path(const std::vector<std::string>& project, const std::string& root);

// "element-make.so": the library of a kind is found by its name alone.
std::string library_name(PluginType type, std::string_view kind);

// A library that has the name of a kind.
struct FoundLibrary {
  PluginPlace::Origin origin;
  std::string file;
  std::string name;  // the file's
};
// Every library of the path, in its order; nothing is loaded.
std::vector<FoundLibrary> list_libraries(const PluginPath& path);

}  // namespace weir
