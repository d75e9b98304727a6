// The processes below weir-init, by a walk over /proc/<pid>/task/<tid>/children. In a pid namespace without a /proc of
// its own the pids are those of the outer namespace: right for reading memory, useless for kill; there kill(-1) does it.
#pragma once

#include <cstdint>

namespace weir::init {

// Resident bytes of this process and all below it.
std::uint64_t resident_bytes_of_tree();

// Sends a signal to every descendant, again and again until a walk finds nothing new: a process that forked between the
// reading of its children and its signal is found by the next walk. Only without a pid namespace.
void signal_descendants(int signal);

}  // namespace weir::init
