// Bugs: checked in release too. A failed assertion prints the state it was given and ends weir with exit code
// 70; children die with it (every job hangs on weir by a death signal), so nothing is left behind.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace weir {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, std::string_view state);

}  // namespace weir

// WEIR_ASSERT(used <= total, "token {}: {} of {} used", name, used, total);
#define WEIR_ASSERT(condition, ...)                                                         \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::weir::assertion_failed(#condition, __FILE__, __LINE__, ::fmt::format(__VA_ARGS__)); \
  } while (false)
