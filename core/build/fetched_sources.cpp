#include "core/build/fetched_sources.h"

#include "core/build/project_sources.h"

namespace weir {

Result<bool> fill_in_fetched(const BuildPlan& plan, store::Store& store, ElementId element,
                             PlannedSources& sources) {
  const auto keys = source_keys(plan, element);
  auto key = keys.begin();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (plan.resolved_sources(element)[i].of_project()) continue;
    const auto found = store.lookup(*key++);
    if (!found) return tl::unexpected(found.error());
    if (!*found) return false;
    sources[i].tree = (*found)->record.output;
  }
  return true;
}

Result<bool> find_fetched_sources(BuildPlan& plan, store::Store& store, ElementId element) {
  auto sources = plan.sources(element);
  auto all = fill_in_fetched(plan, store, element, sources);
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].tree) plan.set_tree(element, i, *sources[i].tree);
  return all;
}

}  // namespace weir
