#include "core/cli/local_time.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

namespace weir::cli {

using std::chrono::system_clock;

std::optional<system_clock::time_point> read_time(const std::string& text) {
  std::tm day{};
  int milliseconds = 0;
  const int read = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &day.tm_year, &day.tm_mon,
                               &day.tm_mday, &day.tm_hour, &day.tm_min, &day.tm_sec, &milliseconds);
  if (read < 6) return std::nullopt;
  day.tm_year -= 1900;
  day.tm_mon -= 1;
  return system_clock::from_time_t(::timegm(&day)) + std::chrono::milliseconds(milliseconds);
}

std::string local_text(system_clock::time_point time) {
  const auto seconds = system_clock::to_time_t(time);
  std::tm day{};
  ::localtime_r(&seconds, &day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday,
                     day.tm_hour, day.tm_min, day.tm_sec);
}

}  // namespace weir::cli
