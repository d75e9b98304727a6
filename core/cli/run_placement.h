// Where the jobs of a run go: what [placement], [[class]] and [[worker]] say, opened for one run. A project
// that says nothing of it has no placement: tokens alone decide, and all jobs run on this machine.
#pragma once

#include <optional>

#include "core/build/resolve_placement.h"
#include "core/cli/opened_project.h"
#include "core/scheduler/placing.h"

namespace weir::cli {

bool has_placement(const Project& project);

// What is wrong was told; the exit code says what it was.
tl::expected<ResolvedPlacement, int> open_placement(OpenedProject& opened);

// Workers are all of this machine as yet. A project that names none has one, with a place for each core.
PlacementParts placement_parts(const ResolvedPlacement& placement, const Project& project,
                               const Ledger& ledger, Executor& executor);

}  // namespace weir::cli
