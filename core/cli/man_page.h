// Manual pages, as roff for man(7).
#pragma once

#include <string>

#include "core/cli/command_help.h"

namespace weir::cli {

// Of weir itself or of a command of it, with all commands below that.
std::string man_page(const CommandHelp& root, const CommandHelp& command);

}  // namespace weir::cli
