#include "core/scheduler/phase.h"

namespace weir {

std::string_view to_string(Phase phase) {
  constexpr std::string_view kNames[kPhases] = {
      "idle",      "arrived", "waiting", "laned",    "ready",  "placing", "backoff",   "running",
      "suspended", "passed",  "parked",  "finished", "failed", "blocked", "cancelled", "unneeded"};
  return kNames[static_cast<std::size_t>(phase)];
}

}  // namespace weir
