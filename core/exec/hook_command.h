// Runs a command of [hooks]: the event comes as JSON on its standard input, its output goes nowhere, and it
// is killed with all of its process group when the time is up. Blocks; called from the hook runner's thread,
// never from the loop's.
#pragma once

#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace weir {

Status run_hook_command(const std::string& command, const std::string& directory, std::string_view event,
                        Duration timeout);

}  // namespace weir
