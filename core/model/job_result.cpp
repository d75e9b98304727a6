#include "core/model/job_result.h"

namespace weir {

std::string_view to_string(Ending ending) {
  constexpr std::string_view kNames[] = {"succeeded", "failed", "cancelled", "skipped"};
  return kNames[static_cast<std::size_t>(ending)];
}

std::string_view to_string(Failure failure) {
  constexpr std::string_view kNames[kFailures] = {"none", "command", "source", "timeout", "stall",
                                                  "oom",  "network", "infra",  "lost"};
  return kNames[static_cast<std::size_t>(failure)];
}

}  // namespace weir
