// The texts of a new plugin.
#pragma once

#include <string>
#include <vector>

#include "core/cli/new_files.h"
#include "plugins/host/plugin_library.h"

namespace weir::cli {

// Below the folder of the plugin. `kind` is a name that a kind can have.
std::vector<NewFile> plugin_files(PluginType type, const std::string& kind);

}  // namespace weir::cli
