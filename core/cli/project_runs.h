// The runs of a project, for those who look back: they need its name and its folder, and the project need not
// be whole.
#pragma once

#include <tl/expected.hpp>
#include <vector>

#include "core/cli/command.h"
#include "core/cli/run_folder.h"
#include "core/project/project.h"
#include "core/project/settings.h"

namespace weir::cli {

struct ProjectRuns {
  Project project;  // as far as it could be read; no kinds are known
  Settings settings;
  std::vector<PastRun> runs;  // newest first
};

// What is wrong was told; the exit code says what it was. A project with errors is told of, and shown all the
// same.
tl::expected<ProjectRuns, int> open_runs(const Globals& globals);

}  // namespace weir::cli
