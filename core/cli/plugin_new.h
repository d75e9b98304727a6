// weir plugin new: a folder with a plugin that builds, passes its tests and can be used as it is. Overwrites
// nothing.
#pragma once

#include <string>

#include "core/cli/command.h"

namespace weir::cli {

struct PluginNewOptions {
  std::string name;  // of the kind, and of the folder
  std::string type;  // "element"..; empty if --type was not given, which is refused
};

// Returns the exit code.
int new_plugin(const PluginNewOptions& options, const Globals& globals);

}  // namespace weir::cli
