// What the command line says about settings, for commands that read them. Light: weir log needs no more of a
// project.
#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"
#include "core/project/settings.h"

namespace weir::cli {

// `sandbox` as on the command line, or empty: it is part of every key.
inline std::vector<TextSetting> command_settings(const Globals& globals, const std::string& sandbox = {}) {
  std::vector<TextSetting> settings;
  const auto set = [&](const char* name, const std::string& value, const char* option) {
    if (!value.empty()) settings.push_back({name, value, std::string(option) + " " + value});
  };
  if (globals.trust) settings.push_back({"trust", "always", "--trust"});
  set("ui.color", globals.color, "--color");
  set("sandbox", sandbox, "--sandbox");
  return settings;
}

}  // namespace weir::cli
