// Whether the remotes of the settings can be used, each tried for real.
#pragma once

#include <vector>

#include "core/cli/machine_checks.h"
#include "core/cli/run_remotes.h"

namespace weir::cli {

// Blocks, for no longer than the remotes' patience.
std::vector<Finding> check_remotes(const RemoteContext& context);

}  // namespace weir::cli
