// Runs bubblewrap as for a job, with a program inside that does nothing. Blocks for as long as that takes, at
// most the limit.
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace weir::cli {

Status try_sandbox(const std::string& bwrap, Duration limit);

}  // namespace weir::cli
