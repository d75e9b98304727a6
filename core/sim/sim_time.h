// Virtual time in seconds and back. A run has an end: the clock counts nanoseconds in 64 bits, which are 292
// years, and time-outs are added to it.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/clock.h"
#include "core/base/random.h"

namespace weir::sim {

inline constexpr Time kEndOfTime{std::chrono::hours(24 * 365 * 100)};

inline double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
// At most 30 years, so that the sum with any moment of a run is a moment too.
inline Duration from_seconds(double s) { return Duration(static_cast<std::int64_t>(std::min(s, 1e9) * 1e9)); }

inline Duration exponential(double mean_s, Random& random) {
  return from_seconds(-mean_s * std::log(1 - random.real()));
}

}  // namespace weir::sim
