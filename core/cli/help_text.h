// What --help says, at most 80 columns wide.
#pragma once

#include <string>
#include <vector>

#include "core/cli/command_help.h"

namespace weir::cli {

// Of the innermost of `commands`.
std::string help_text(const Lineage& commands);

// Lines of words, each at most `width` columns wide unless a word alone is wider.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace weir::cli
