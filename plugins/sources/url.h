// What URLs of sources look like.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <weir/barrier.hpp>

namespace weir::kinds {

using namespace sdk;

// "https" of "https://..."; empty for a path and for the short form of ssh, "host:path".
std::string_view scheme_of(std::string_view url);

// Reads the required key "url" and complains about a scheme that is not one of these.
std::string read_url(ConfigReader& reader, std::span<const std::string_view> schemes);

// The last part of its path, without percent signs and what comes behind a question mark. One that would hold
// a slash or a NUL keeps its percent signs.
std::string file_name_of(std::string_view url);

// Refuses a ref that is not lower-case hex digits of that number.
void check_hex(std::string_view ref, std::size_t digits, std::string_view what);

}  // namespace weir::kinds
