// What the value of an option or a word may be, declared where the option is: `->check(one_of({"dot",
// "json"}))`. The command line is checked by core/cli/read_words.h, which says more about a wrong value than
// CLI11 would; a validator only carries what read_help.h is to find.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cli/command_help.h"

namespace weir::cli {

inline constexpr std::string_view kOneOf = "one of ";
inline constexpr std::string_view kNumber = "number ";

inline CLI::Validator carried(std::string description) {
  return CLI::Validator([](const std::string&) { return std::string(); }, std::move(description));
}

// None of them has a comma or a colon.
inline CLI::Validator one_of(const std::vector<std::string>& choices) {
  return carried(std::string(kOneOf) + joined(choices, ","));
}

// A whole number; with choices beside it, any of them too.
inline CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return carried(std::string(kNumber) + std::to_string(least) + "," + std::to_string(most));
}

}  // namespace weir::cli
