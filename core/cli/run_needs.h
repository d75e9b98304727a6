// What the jobs of a run take, from all that was opened and planned for it.
#pragma once

#include "core/cli/needs.h"
#include "core/cli/opened_project.h"

namespace weir::cli {

// Of all elements that are planned. Fills ledger and lanes; all arguments outlive what it returns.
Result<ProjectNeeds> needs_of_run(const OpenedProject& opened, const PlannedTargets& planned,
                                  const Machine& machine, Ledger& ledger, Lanes& lanes);

}  // namespace weir::cli
