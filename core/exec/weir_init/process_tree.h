// The processes below weir-init, by a walk over /proc/<pid>/task/<tid>/children. In a pid namespace without a
// /proc of its own the pids are those of the outer namespace: right for reading memory, useless for kill;
// there kill(-1) does it.
#pragma once

#include <cstdint>

namespace weir::init {

struct TreeUse {
  // The memory of all processes below this one together, at their most. Those that came and went between two
  // calls are not seen: of them the largest is known when it is reaped (ru_maxrss, which a parent that waits
  // hands on).
  std::uint64_t peak_bytes;
  std::uint32_t processes;  // now, with their threads and this one
};
TreeUse use_of_tree();

// Sends a signal to every descendant, in walk after walk until one finds that all have obeyed and nobody died
// since the one before: children of a process that forks or ends meanwhile may be missed by one walk, not by
// the last. Only without a pid namespace.
void signal_descendants(int signal);

}  // namespace weir::init
