#include "core/cli/outstanding.h"

#include <algorithm>

namespace weir::cli {

std::vector<ElementId> outstanding(const BuildPlan& plan, const std::vector<SurveyedElement>& all,
                                   std::span<const ElementId> targets) {
  const auto& graph = plan.graph().graph;
  std::vector<ElementId> open(targets.begin(), targets.end());
  std::vector<bool> seen(all.size());
  std::vector<ElementId> missing;
  while (!open.empty()) {
    const auto next = open.back();
    open.pop_back();
    if (seen[index(next)]) continue;
    seen[index(next)] = true;
    for (const auto dependency : graph.runtime_dependencies(next)) open.push_back(dependency);
    if (all[index(next)].artifact) continue;
    missing.push_back(next);
    for (const auto dependency : graph.build_dependencies(next)) open.push_back(dependency);
  }
  std::sort(missing.begin(), missing.end(), [](ElementId a, ElementId b) { return index(a) < index(b); });
  return missing;
}

}  // namespace weir::cli
