// What commands that run jobs of elements can be told: weir build, weir test.
#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"
#include "core/cli/session.h"

namespace weir::cli {

struct RunOptions {
  std::vector<std::string> targets;
  std::string jobs, on_error, sandbox, events;
};

void add_run_options(CLI::App& app, RunOptions& options);

// `command` as the user wrote it, for the record of the run.
RunRequest request_of(const RunOptions& options, Work work, const std::string& command, const Globals& globals);

}  // namespace weir::cli
