// What commands that run jobs of elements can be told: weir build, test, track and fetch.
#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"
#include "core/cli/session.h"

namespace weir::cli {

struct RunOptions {
  std::vector<std::string> targets;
  std::string jobs, on_error, sandbox, requestor, events, remote, junit;
  bool no_remote = false, no_push = false, ci = false, json = false;
};

// Targets and where news of the run goes; `without` says what is meant without any target.
void add_target_options(Command& command, RunOptions& options, const std::string& without);
void add_remote_options(Command& command, RunOptions& options);
// Those, and what is told to commands that build.
void add_run_options(Command& command, RunOptions& options);

// `command` as the user wrote it, for the record of the run.
RunRequest request_of(const RunOptions& options, Work work, const std::string& command,
                      const Globals& globals);

}  // namespace weir::cli
