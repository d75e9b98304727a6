// Runs a tool and gives what it wrote to its standard output, with a limit of time. For short questions such
// as `cc --version`. Blocks; not for the loop's thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace weir {

// argv[0] is a path. An error if it cannot be started, takes too long, or ends with something else than exit
// 0.
Result<std::string> read_tool_output(std::vector<std::string> argv, Duration timeout);

}  // namespace weir
