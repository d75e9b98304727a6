// A run of the part of a project that a change reaches, by what its snapshot knows of the rest.
#pragma once

#include <memory>
#include <optional>

#include "core/cli/build_snapshot.h"
#include "core/scheduler/scheduler.h"
#include "core/snapshot/part.h"

namespace weir::cli {

struct OpenedPart {
  std::unique_ptr<OpenedProject> opened;
  std::unique_ptr<PlannedTargets> planned;
  snapshot::Part part;  // its members are the elements of the project, in their order
  SchedulerOptions::Unchanged unchanged;

  const snapshot::Part::Member& member(ElementId id) const {
    return part.members[index(planned->graph.elements[index(id)])];
  }
};

// Imports sources that have another stamp: those whose content is the same are no change. False: everything
// has to be looked at.
bool settle_sources(const RunRequest& request, FoundSnapshot& found, store::Store& store);

// Nothing: the part is so large, or something in it so wrong, that everything is to be looked at.
std::optional<OpenedPart> open_part(const RunRequest& request, FoundSnapshot& found, store::Store& store);

// After the run: the snapshot says what is true now, or is taken away.
void update_snapshot(FoundSnapshot& found, const OpenedPart& part, const OutcomeOf& outcome);

}  // namespace weir::cli
