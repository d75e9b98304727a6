// The snapshot of a project's builds: where it lies, which question it answers, and when it is taken.
//
//   <cache>/snapshots/<hash of the project's folder>-<hash of the targets>
//
// The question is all that decides on a build beside the files that a snapshot watches: targets, settings,
// folders of plugins, this machine, and a store from which nothing was removed. What may be pushed is asked
// of remotes, so a build that pushes has none. A run that has to tell of every element (--events, --verbose,
// --junit) does without.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/opened_project.h"
#include "core/cli/session.h"
#include "core/snapshot/look.h"
#include "core/snapshot/take.h"

namespace weir::cli {

// A snapshot that answers the question of a request, and what has changed since.
struct FoundSnapshot {
  snapshot::Snapshot snapshot;
  std::unique_ptr<OpenedProject> frame;  // the project without its elements
  std::string shown;                     // what stands before the names of the project's files
  snapshot::Changes changes;
  std::int64_t taken_ns = 0;                         // the wall time before anything was looked at
  std::map<std::uint32_t, PlannedSources> imported;  // rows whose sources are others now
  bool outgrown =
      false;  // what has changed does not fit into it: it is good for this run, and then taken away

  bool nothing_to_do() const {
    return changes.elements.empty() && changes.definitions.empty() && snapshot.counts().missing == 0;
  }
};

// Nothing: there is none, or everything has to be looked at.
std::optional<FoundSnapshot> find_snapshot(const RunRequest& request);

// Keeps what was found out about files that have another stamp and the same content, and tells the store from
// time to time that what the project stands on is used.
void keep_known(FoundSnapshot& found);

// The project as any of its snapshots has it, if no file of it changed since; for commands that do not build.
std::optional<LoadedProject> load_from_snapshot(const std::string& directory,
                                                const std::vector<TextSetting>& command_line);

using OutcomeOf = std::function<snapshot::Outcome(ElementId)>;
// After a run of everything.
void take_snapshot(const RunRequest& request, const OpenedProject& opened, const PlannedTargets& planned,
                   const std::string& store_stamp, const OutcomeOf& outcome);

}  // namespace weir::cli
