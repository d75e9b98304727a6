// How a run ended.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/clock.h"
#include "core/model/job_result.h"

namespace weir {

struct RunSummary {
  struct Counts {
    std::uint64_t built = 0, cached = 0, fetched = 0, pulled = 0, pushed = 0, tracked = 0;
    std::uint64_t failed = 0;   // elements that failed themselves
    std::uint64_t skipped = 0;  // wanted elements that were not finished because of others, or cancelled
  };
  Counts counts;
  Ending ending = Ending::succeeded;
  int exit = 0;
  Duration wall{};
  double critical_path = 0;  // seconds
};

// The exit code of a run with these failures (a bit per Failure): 1 a job failed, 5 resources, 4
// infrastructure; if several apply, 1 before 5 before 4.
int exit_code(std::uint32_t failures);

}  // namespace weir
