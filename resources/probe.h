// What this machine lets weir use: the smallest of hardware, affinity mask and the cgroup limits of this process and of
// all its parents, v1 and v2, also side by side (hybrid). Files that are missing or make no sense count as "no limit".
// The roots of /proc and of the cgroup mounts are arguments, so that tests describe machines by folders.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

struct ProbeRoots {
  std::string proc = "/proc";
  std::string cgroup = "/sys/fs/cgroup";
};

struct Machine {
  unsigned cores = 1;             // at least one; a quota of 1.5 cores gives 2
  std::uint64_t memory = 0;       // bytes that all jobs together may use
  std::uint64_t available = 0;    // bytes of them that are free now
};

// `affinity` is the number of CPUs in the affinity mask; 0: ask the kernel.
Machine probe_machine(const ProbeRoots& roots = {}, unsigned affinity = 0);

}  // namespace weir
