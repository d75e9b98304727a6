// What URLs of sources look like.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir {

class ConfigReader;

// "https" of "https://..."; empty for a path and for the short form of ssh, "host:path".
std::string_view scheme_of(std::string_view url);

// Reads the required key "url" and complains about a scheme that is not one of these.
std::string read_url(ConfigReader& reader, std::span<const std::string_view> schemes);

// The last part of its path, without percent signs and what comes behind a question mark.
std::string file_name_of(std::string_view url);

// What is wrong with a ref that has to be lower-case hex digits of that number; empty if nothing is.
std::string wrong_hex(std::string_view ref, std::size_t digits, std::string_view what);

}  // namespace weir
