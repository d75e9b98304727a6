// --deps: which dependencies of the targets come along.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/cli/value_checks.h"
#include "core/project/targets.h"

namespace weir::cli {

inline DependencyScope scope_of(const std::string& name) {
  if (name == "none") return DependencyScope::none;
  if (name == "build") return DependencyScope::build;
  return name == "run" ? DependencyScope::run : DependencyScope::all;
}

inline void add_scope_option(CLI::App& app, std::string& value) {
  app.add_option("--deps", value, "which dependencies come along")
      ->check(one_of({"none", "build", "run", "all"}))
      ->type_name("WHICH")
      ->capture_default_str();
}

}  // namespace weir::cli
