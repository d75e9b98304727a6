// The commands' own declarations as plain data (core/cli/command_help.h), of `root` and all below it.
#pragma once

#include "core/cli/command_help.h"

namespace CLI {
class App;
}

namespace weir::cli {

CommandHelp read_help(CLI::App& root);

}  // namespace weir::cli
