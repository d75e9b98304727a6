// What is different about an element since it was last built, in words: the first thing to look at when its
// build fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/last_built.h"

namespace weir::cli {

struct BuildChanges {
  std::uint64_t since = 0;  // the run that built it then; 0: none is known
  std::vector<std::string> lines;
};

BuildChanges changes_since_built(const BuildPlan& plan, store::Store& store, const LastBuilt& last,
                                 ElementId element, const store::Digest& recipe);

}  // namespace weir::cli
