// What this machine lets weir use: the smallest of hardware, affinity mask, the cgroup limits of this process
// and of all its parents (resources/cgroups.h) and, of memory, the limit of its address space.
#pragma once

#include <cstdint>
#include <string>

#include "resources/cgroups.h"

namespace weir {

struct Machine {
  unsigned cores = 1;           // at least one; a quota of 1.5 cores gives 2
  std::uint64_t memory = 0;     // bytes that all jobs together may use
  std::uint64_t available = 0;  // bytes of them that are free now, or would be without the cache of files
};

// What the kernel is asked about this process instead of files.
struct ProcessLimits {
  unsigned affinity = 0;  // CPUs in the affinity mask; 0: ask
  std::uint64_t address_space =
      0;  // RLIMIT_AS; 0: ask. Jobs inherit it, so no process of theirs can have more.
};

Machine probe_machine(const ProbeRoots& roots = {}, ProcessLimits limits = {});

// What is kept back of all memory when tokens are made of it ("auto"): for weir itself (20 to 60 MiB with a
// store at work), for the kernel, for files that jobs read (without any cache each read goes to the disk),
// and for what a job takes above the most it ever took. A sixteenth, for that grows with the machine; at
// least 64 MiB, since weir does not shrink with it, but never more than a quarter; and at most 2 GiB, which
// is more than any of these needs.
std::uint64_t memory_reserve(std::uint64_t memory);

}  // namespace weir
