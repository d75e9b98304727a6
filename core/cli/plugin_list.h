// Every kind of every library of a search path, and why some cannot be used.
#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"
#include "plugins/host/kinds.h"

namespace weir::cli {

struct ListedKind {
  std::string type, kind;  // empty if the library cannot be loaded
  std::uint32_t version = 0;
  std::string plugin, plugin_version, abi;
  std::string file;
  PluginPlace::Origin origin;
  std::string why_not;  // why it cannot be used; empty if it can
};

// In the order in which they are looked for. Each library is loaded in a child; those of the project as
// `open_of_project` allows it, if it is given.
std::vector<ListedKind> list_kinds(const PluginPath& path, const Kinds::OpenLibrary& open_of_project);

// Prints them: those of the project in or above the folder too, if there is one. The exit code.
int run_plugin_list(const Globals& globals, bool json);

}  // namespace weir::cli
