// The files of sources that come from elsewhere, for those who fetch nothing: as far as the store has them.
#pragma once

#include "core/build/build_plan.h"
#include "core/store/store.h"

namespace weir {

// Tells the plan of all trees of the element's sources. False: some are not there. Blocks on the store; the
// element is pinned.
Result<bool> find_fetched_sources(BuildPlan& plan, store::Store& store, ElementId element);

// The same for a copy of the element's sources.
Result<bool> fill_in_fetched(const BuildPlan& plan, store::Store& store, ElementId element,
                             PlannedSources& sources);

}  // namespace weir
