// Completion for shells, written from the table of commands. Each script knows commands, options and choices
// by itself and asks `weir completion elements` for the names of elements. What the user wrote and what weir
// answers are words for the shell, never text that it evaluates.
#pragma once

#include <string>

#include "core/cli/command_help.h"

namespace weir::cli {

std::string bash_completion(const CommandHelp& root);
std::string zsh_completion(const CommandHelp& root);
std::string fish_completion(const CommandHelp& root);

}  // namespace weir::cli
