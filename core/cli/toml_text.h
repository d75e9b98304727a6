// Text of any content as TOML, for files that weir writes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir::cli {

// "a \"b\"\n", on one line whatever it holds. The text has to be UTF-8: TOML has no way to write other bytes.
std::string toml_string(std::string_view text);
// Bare where TOML allows it: `hello`, `"zlib-1.2"`.
std::string toml_key(std::string_view text);
std::string toml_array(std::span<const std::string> texts);

// As part of a string in which weir expands variables: %{ becomes %%{.
std::string without_variables(std::string_view text);

}  // namespace weir::cli
