// Times of day as events have them, for people.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace weir::cli {

// "2024-03-01T12:00:00.250Z"; nothing if it is none.
std::optional<std::chrono::system_clock::time_point> read_time(const std::string& text);

// "2024-03-01 13:00:00", where the user is.
std::string local_text(std::chrono::system_clock::time_point time);

}  // namespace weir::cli
