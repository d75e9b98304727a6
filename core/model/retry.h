// Which failures are tried again, how often, and after what delay.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/backoff.h"
#include "core/model/job_result.h"

namespace weir {

struct RetryPolicy {
  // Retries beyond the first attempt, per failure class; each class has its own count.
  std::array<std::uint8_t, kFailures> retries{};
  Backoff backoff;

  static RetryPolicy defaults() {
    RetryPolicy policy;
    policy.set(Failure::network, 3);
    policy.set(Failure::oom, 1);
    policy.set(Failure::lost, 2);
    return policy;
  }
  void set(Failure failure, std::uint8_t count) { retries[static_cast<std::size_t>(failure)] = count; }
  bool operator==(const RetryPolicy&) const = default;
  std::uint8_t of(Failure failure) const { return retries[static_cast<std::size_t>(failure)]; }
};

}  // namespace weir
