// Messages for people who work on weir, not for its users: silent unless WEIR_LOG names a level (trace,
// debug, info, warn, error). spdlog stands behind it, in log.cpp alone: its headers cost a second of compile
// time each.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace weir {

enum class LogLevel : std::uint8_t { trace, debug, info, warn, error, off };

// Reads the level from `text` (the value of WEIR_LOG); false if it is none of the names.
bool start_log(std::string_view text);
bool log_enabled(LogLevel level);
void log_message(LogLevel level, std::string_view message);

// Arguments are formatted only if somebody listens.
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::debug))
    log_message(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::warn))
    log_message(LogLevel::warn, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace weir
