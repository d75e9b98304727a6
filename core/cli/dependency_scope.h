// --deps: which dependencies of the targets come along.
#pragma once

#include <string>

#include "core/cli/args.h"
#include "core/project/targets.h"

namespace weir::cli {

inline DependencyScope scope_of(const std::string& name) {
  if (name == "none") return DependencyScope::none;
  if (name == "build") return DependencyScope::build;
  return name == "run" ? DependencyScope::run : DependencyScope::all;
}

inline void add_scope_option(Command& command, std::string& value) {
  command.add_option("--deps", &value, "WHICH", "which dependencies come along")
      .one_of({"none", "build", "run", "all"})
      .show_default();
}

}  // namespace weir::cli
