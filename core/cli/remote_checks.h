// Whether the remotes of the settings and the secrets for them can be used, each tried for real.
#pragma once

#include <vector>

#include "core/cli/machine_checks.h"
#include "core/cli/run_remotes.h"

namespace weir::cli {

// Each with where its secret comes from, and whether it can be read; the secret is not shown.
std::vector<Finding> check_credentials(const Settings& settings);

// Blocks, for no longer than the remotes' patience.
std::vector<Finding> check_remotes(const RemoteContext& context);

}  // namespace weir::cli
