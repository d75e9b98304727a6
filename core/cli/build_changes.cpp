#include "core/cli/build_changes.h"

#include <fmt/format.h>

#include "core/build/why.h"
#include "core/cli/why_text.h"

namespace weir::cli {

BuildChanges changes_since_built(const BuildPlan& plan, store::Store& store, const LastBuilt& last,
                                 ElementId element, const store::Digest& recipe) {
  const auto why = explain_build(plan, store, last, element, recipe);
  BuildChanges changes{why.run, {}};
  for (const auto& cause : why.causes) changes.lines.push_back(cause_line(cause));
  if (why.more_files > 0) changes.lines.push_back(fmt::format("{} more files", why.more_files));
  return changes;
}

}  // namespace weir::cli
