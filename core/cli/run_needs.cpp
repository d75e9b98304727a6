#include "core/cli/run_needs.h"

#include "core/build/project_sources.h"
#include "core/build/queue_runs.h"

namespace weir::cli {

Result<ProjectNeeds> needs_of_run(const OpenedProject& opened, const PlannedTargets& planned,
                                  const Machine& machine, Ledger& ledger, Lanes& lanes) {
  const auto& plan = *planned.plan;
  const auto tokens = [&plan](const ResolvedQueue& queue, ElementId element) {
    return queue.kind->needs({queue.config, element_document(plan, element)});
  };
  auto needs = ProjectNeeds::make({opened.project(),
                                   planned.graph,
                                   ledger,
                                   lanes,
                                   [&plan](ElementId element) { return mirrors_of(plan, element); },
                                   {opened.queues, tokens},
                                   MemoryPeaks::load(opened.folder())},
                                  opened.values(), machine);
  if (!needs) return needs;
  const auto asked = needs->ask(plan.planned_elements());
  if (!asked) return tl::unexpected(asked.error());
  if (auto added = needs->add(*asked); !added) return tl::unexpected(added.error());
  return needs;
}

}  // namespace weir::cli
