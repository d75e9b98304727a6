// The composition root of a run: a loaded project and its settings become ledger, lanes, queues, executor,
// scheduler and observers, are run to the end on one loop, and give an exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/project/load.h"
#include "core/project/settings.h"
#include "core/project/targets.h"

namespace weir::cli {

// What a run is for: which queues it has.
enum class Work : std::uint8_t { build, track, fetch, test, pull, push };

struct RunRequest {
  Work work = Work::build;
  std::string directory = ".";
  std::vector<std::string> targets;
  DependencyScope scope =
      DependencyScope::all;            // which dependencies of the targets are tracked or fetched as well
  std::vector<TextSetting> settings;   // of the command line
  std::optional<std::string> events;   // a file, or "-"
  std::optional<std::string> junit;    // a file
  std::vector<std::string> arguments;  // as the user wrote them
  bool quiet = false;
  bool verbose = false;
  bool ci = false;             // output for the log of a CI system
  bool json = false;           // what became of it goes to standard output
  bool force = false;          // the targets are built, or tested, again although that was done
  bool dry_run = false;        // only say what would be built
  bool check = false;          // only find out whether there is work: exit 3
  bool retry_failed = false;   // also what failed before with the same inputs
  bool rebuild_check = false;  // everything is built twice and compared
  bool track = false;          // a build that tracks first
  bool no_push = false;        // remotes are only pulled from
  bool is_repeated = false;    // the run before it met damage in the cache
};

int run_pipeline(const RunRequest& request);

}  // namespace weir::cli
