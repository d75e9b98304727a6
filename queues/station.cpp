#include "queues/station.h"

namespace weir {

std::string_view to_string(QueueStatus status) {
  constexpr std::string_view kNames[] = {"none", "wait",   "skip",    "ready",    "running",
                                         "done", "failed", "blocked", "cancelled"};
  return kNames[static_cast<std::size_t>(status)];
}

}  // namespace weir
