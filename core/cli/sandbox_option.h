// --sandbox, which is part of every key: commands that look at artifacts take it as those that make them do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/cli/value_checks.h"

namespace weir::cli {

inline void add_sandbox_option(CLI::App& app, std::string& sandbox, const std::string& text) {
  app.add_option("--sandbox", sandbox, text)->check(one_of({"host", "staged", "none"}))->type_name("ROOT");
}

}  // namespace weir::cli
