// How many processes and threads one job may have at once: enough for what real builds start, and few enough
// that weir, other jobs and the user can still start something beside a job that never stops to.
#pragma once

#include <cstdint>

namespace weir {

// Of this machine; worked out once.
std::uint32_t most_processes_of_a_job();

}  // namespace weir
