// What a build would have to do, without doing it: --check and --dry-run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/build/survey.h"

namespace weir::cli {

// Elements that are wanted and not there, dependencies first. A rebuild that turns out the same may end
// earlier than this.
std::vector<ElementId> outstanding(const BuildPlan& plan, const std::vector<SurveyedElement>& all,
                                   std::span<const ElementId> targets);

}  // namespace weir::cli
