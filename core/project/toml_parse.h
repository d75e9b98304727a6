// Text to tree, for bytes of any origin: a syntax error is a diagnostic at its place, and nothing makes it
// crash or recurse deeply. The one file that includes toml++ is toml_parse.cpp. Callable from any thread.
#pragma once

#include <optional>
#include <string_view>

#include "core/project/diagnostic.h"
#include "core/project/toml_value.h"

namespace weir {

// A file of a user; a megabyte of TOML is 20 ms of parsing, 16 are a mistake.
inline constexpr std::size_t kLongestTomlFile = 16u << 20;

// The document as a table, or nothing after one diagnostic.
std::optional<TomlValue> parse_toml(std::string_view text, FileId file, Diagnostics& diagnostics);

}  // namespace weir
