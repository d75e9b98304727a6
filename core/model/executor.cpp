#include "core/model/executor.h"

namespace weir {

std::string_view to_string(StopReason reason) {
  constexpr std::string_view kNames[] = {"cancelled", "timeout", "stall", "preempted", "shutdown"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace weir
