// Whether this process was asked to end by a signal. Long computations outside of the event loop (reading,
// merging, hashing and copying trees) look at it between two steps and return fail_interrupted(), so that a
// signal ends them within a second whatever the size of their input. Set once and for good, by any thread or
// a signal handler. Without handlers of its own a command ends by the signal itself, and nothing sets it.
#pragma once

#include <atomic>

#include "core/base/result.h"

namespace weir {

namespace detail {
inline std::atomic<bool> is_interrupted = false;
}

inline void interrupt() { detail::is_interrupted.store(true, std::memory_order_relaxed); }
inline bool interrupted() { return detail::is_interrupted.load(std::memory_order_relaxed); }
// For tests: a process that goes on.
inline void forget_interruption() { detail::is_interrupted.store(false, std::memory_order_relaxed); }

inline tl::unexpected<Error> fail_interrupted() {
  return fail(Reason::cancelled, "interrupted by a signal", "run the command again to continue");
}

}  // namespace weir
