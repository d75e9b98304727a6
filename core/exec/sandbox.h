// The command line of bubblewrap for a job: an empty root, private /tmp, /dev and /proc, the job's
// directories, no network unless asked for. With the host's tools: /usr read-only, the merged-usr links as
// this machine has them, a named list from /etc. With a staged root: what the job's inputs bring, and nothing
// else. No home, no project, no store. The root itself is read-only at the end. A job has no capabilities,
// and the settings of the kernel below /proc are read-only, so that it can do the same whether root runs weir
// or not.
//
// weir-init is PID 1 inside (--as-pid-1), so CPU time and peak memory are those of the job. The outer process
// of bubblewrap is never signalled with TERM: it would die at once and take the inside with it
// (--die-with-parent); the pid of the inside comes from --json-status-fd.
//
// A sandbox may serve one job after the other (core/exec/init_protocol.h): bubblewrap makes the root once,
// and weir-init gives each job namespaces, /proc and writable folders of its own in it. Making a sandbox
// costs more than most small jobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/exec/init_plan.h"

namespace weir {

// Where a job finds its directories inside; fixed, so that no path of this machine gets into what is built.
inline constexpr std::string_view kInsideBuild = "/build";
inline constexpr std::string_view kInsideInstall = "/install";
inline constexpr std::string_view kInsideSource = "/source";
inline constexpr std::string_view kInsideJobserver = "/.weir-jobserver";
inline constexpr std::string_view kInsideInit = "/.weir-init";

// A tree of the job's inputs: a real directory, and where the job sees it, read-only.
struct StagedInput {
  std::string real;
  std::string inside;
};

// The folders of all jobs, for sandboxes that serve: of those that a job may have written to, and of inputs.
struct ServedFolders {
  std::string work;
  std::string stage;
};

struct SandboxPlan {
  std::string bwrap;  // path of the program
  std::string init;   // path of weir-init
  std::string build;  // real directories, mounted writable; empty: not there
  std::string install;
  std::string source;
  std::uint32_t uid = 0;
  bool network = false;
  int status_fd = -1;  // as the child sees it
  std::vector<StagedInput> inputs;
  bool staged = false;                    // nothing of the host: the root is the input that is mounted at "/"
  std::string jobserver = {};             // a fifo; empty: none
  bool user_namespaces = false;           // a job may make some (core/exec/weir_init/confine.h)
  const ServedFolders* serves = nullptr;  // more than this job; null: this one
};

std::vector<std::string> bwrap_command(const SandboxPlan& plan);

// Whether it could be one of many jobs that a sandbox serves.
bool can_be_served(const SandboxPlan& plan, const ServedFolders& folders);
// What such a sandbox is made of: it can serve all jobs for which this is the same.
std::string shape_of(const SandboxPlan& plan);
// And what is each job's own in it.
std::vector<InitMount> mounts_of(const SandboxPlan& plan, const ServedFolders& folders);

// Finds `name` in the PATH of this process; empty if it is not there.
std::string find_program(std::string_view name);

// What bubblewrap wrote to its status descriptor so far: the pid of the inside, and whether the inside came
// to its end.
struct SandboxStatus {
  std::int64_t child_pid = 0;
  bool child_exited = false;  // without it, bubblewrap itself failed
};
SandboxStatus parse_sandbox_status(std::string_view json_lines);

}  // namespace weir
