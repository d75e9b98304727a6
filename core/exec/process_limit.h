// How many processes and threads one job may have at once: enough for what real builds start, and few enough
// that weir, other jobs and the user can still start something beside a job that never stops to.
#pragma once

#include <cstdint>

namespace weir {

// Of this machine; worked out once.
std::uint32_t most_processes_of_a_job();

// Whether a job that was seen with so many, and could start no more, may have come to that limit. Otherwise
// it was somebody else's: of a container, a service or the user.
bool is_near_process_limit(std::uint32_t processes, std::uint32_t most);

// What a kernel can hold a job to.
struct ProcessLimitKinds {
  // The highest pid of a pid namespace, which limits the processes of all users in it and below it. In
  // older kernels the same file is the whole machine's.
  bool by_pid = false;
  // RLIMIT_NPROC, counted for each user namespace, and for all users but root. Older kernels count all that
  // the user has on the machine, so it would fail jobs for what others run.
  bool by_user = false;
};
// By its release as uname() tells it: "6.1.0-18-amd64".
ProcessLimitKinds process_limits_of(const char* release);

}  // namespace weir
