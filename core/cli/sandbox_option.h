// --sandbox, which is part of every key: commands that look at artifacts take it as those that make them do.
#pragma once

#include <string>

#include "core/cli/args.h"

namespace weir::cli {

inline void add_sandbox_option(Command& command, std::string& sandbox, const std::string& text) {
  command.add_option("--sandbox", &sandbox, "ROOT", text).one_of({"host", "staged", "none"});
}

}  // namespace weir::cli
