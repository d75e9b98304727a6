// weir as one of the commands of a make: it shares that make's cores, if make lets it
// (core/exec/outer_jobserver.h).
#pragma once

#include <functional>
#include <memory>

#include "core/scheduler/core_lender.h"
#include "core/scheduler/emitter.h"

namespace boost::asio {
class io_context;
}

namespace weir::cli {

// Looks at MAKEFLAGS and keeps the jobserver open. First of all in main: descriptors that make has closed get
// other meanings as soon as weir opens files.
void find_outer_make();

// The cores of that make, for one run; nothing without one. A jobserver that cannot be used is told as a
// warning, and the run has its own cores. `more` is called from the loop each time that a core came in.
std::unique_ptr<CoreLender> cores_of_outer_make(boost::asio::io_context& loop, Emitter& events,
                                                std::function<void()> more);

}  // namespace weir::cli
