// One command where a job would run, with a person at the other end: the standard streams are the user's own,
// and with them the terminal. For `weir shell`.
//
// It runs as jobs do: weir-init is the first process inside and writes what became of the command
// (core/exec/sandbox.h, init_protocol.h), and nothing of it outlives weir. Other than a job it stays in
// weir's process group, the foreground of the terminal, so that a shell can do job control and a command gets
// Ctrl-C and Ctrl-Z as if it had been started by hand. Those signals reach all of the group: bubblewrap and
// weir-init have them blocked, and weir lets Ctrl-C and Ctrl-\ pass meanwhile. SIGTERM and SIGHUP to weir end
// the command.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/exec/sandbox.h"

namespace weir {

struct TerminalJob {
  std::vector<std::string> argv;  // executed directly, found by the PATH of the environment
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;  // as the command sees it
  bool aside = false;     // not for the user: without input, and what it says goes to standard error
  std::optional<SandboxPlan>
      sandbox;  // programs and descriptors are filled in here; none: without bubblewrap
};

// The exit code of the command, or 128 and the signal that ended it; 127 and 126 if it cannot be run, which
// was told. Blocks until its end, on the thread that called: one at a time, since signals are the process's.
Result<int> run_on_terminal(const TerminalJob& job);

}  // namespace weir
