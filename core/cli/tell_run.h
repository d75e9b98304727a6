// The first event of a run.
#pragma once

#include "core/cli/run_folder.h"
#include "core/cli/session.h"
#include "core/scheduler/emitter.h"
#include "resources/probe.h"

namespace weir::cli {

void tell_start(Emitter& events, const RunRequest& request, const Project& project, const RunFolder& folder,
                const Machine& machine);

}  // namespace weir::cli
