// Events that are read back may say anything: the file is damaged, or somebody made it up. Times and amounts
// beyond these are cut, and sums of amounts end there, so that no reader overflows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/clock.h"

namespace weir {

inline constexpr Duration kLongestRun = std::chrono::hours(10 * 365 * 24);
inline constexpr std::int64_t kMostAmount = std::int64_t{1} << 52;  // 4 PiB of memory

inline std::int64_t cut_amount(std::int64_t amount) { return std::clamp(amount, -kMostAmount, kMostAmount); }
inline std::int64_t add_amounts(std::int64_t a, std::int64_t b) {
  return cut_amount(cut_amount(a) + cut_amount(b));
}

}  // namespace weir
