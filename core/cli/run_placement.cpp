#include "core/cli/run_placement.h"

#include "core/cli/tell.h"

namespace weir::cli {

bool has_placement(const Project& project) { return is_placement_given(project) || !project.workers.empty(); }

tl::expected<ResolvedPlacement, int> open_placement(OpenedProject& opened) {
  Diagnostics diagnostics;
  auto placement = resolve_placement(opened.project(), opened.kinds, diagnostics);
  if (!placement) return tl::unexpected(tell(placement.error()));
  if (diagnostics.has_errors()) {
    diagnostics.sort();
    return tl::unexpected(tell(diagnostics, opened.loaded.files));
  }
  return std::move(*placement);
}

PlacementParts placement_parts(const ResolvedPlacement& placement, const Project& project,
                               const Ledger& ledger, Executor& executor) {
  PlacementParts parts{*placement.allocator, *placement.placer, {}, {}};
  for (const auto& worker : project.workers)
    parts.workers.push_back({worker.name.text, worker.slots, &executor});
  if (project.workers.empty()) {
    parts.slots_follow = ledger.find("process");
    parts.workers.push_back({"local", 0, &executor});
  }
  return parts;
}

}  // namespace weir::cli
