// Exponential back-off with jitter: the n-th retry waits between half and all of delay * 2^n, at most
// max_delay.
#pragma once

#include "core/base/clock.h"
#include "core/base/random.h"

namespace weir {

struct Backoff {
  Duration delay = std::chrono::seconds(1);
  Duration max_delay = std::chrono::seconds(30);

  bool operator==(const Backoff&) const = default;
  // `retry` counts from 0. The jitter keeps jobs that failed together from coming back together.
  Duration before(unsigned retry, Random& random) const {
    auto full = delay;
    for (unsigned i = 0; i < retry && full < max_delay; ++i) full *= 2;
    if (full > max_delay) full = max_delay;
    const auto half = full / 2;
    return half + Duration(static_cast<Duration::rep>(
                      random.below(static_cast<std::uint64_t>((full - half).count()) + 1)));
  }
};

}  // namespace weir
