// Tries a plugin: the file, its tables, and every question of its kinds, each in a child of its own.
#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"

namespace weir::cli {

struct PluginFinding {
  enum class Level : std::uint8_t { ok, wrong, not_done };
  Level level = Level::ok;
  std::string name;     // of what was tried: "element make: plan"
  std::string message;  // why it is wrong or was not done; else what was seen, or nothing
};

// `config` is a JSON object for all its kinds, or empty: then each kind's own example is taken.
std::vector<PluginFinding> check_plugin(const std::string& file, const std::string& config);

// Prints what was found; the exit code.
int run_plugin_check(const Globals& globals, const std::string& file, const std::string& config, bool json);

}  // namespace weir::cli
