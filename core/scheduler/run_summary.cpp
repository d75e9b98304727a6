#include "core/scheduler/run_summary.h"

namespace weir {

int exit_code(std::uint32_t failures) {
  const auto any = [&](auto... failure) {
    return (((failures >> static_cast<unsigned>(failure)) & 1u) | ...) != 0;
  };
  if (any(Failure::command, Failure::source)) return 1;
  if (any(Failure::oom, Failure::timeout, Failure::stall)) return 5;
  if (any(Failure::network, Failure::infra, Failure::lost)) return 4;
  return 0;
}

}  // namespace weir
