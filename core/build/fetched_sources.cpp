#include "core/build/fetched_sources.h"

#include "core/build/project_sources.h"

namespace weir {

Result<bool> find_fetched_sources(BuildPlan& plan, store::Store& store, ElementId element) {
  const auto keys = source_keys(plan, element);
  auto key = keys.begin();
  for (std::size_t i = 0; i < plan.resolved_sources(element).size(); ++i) {
    if (plan.resolved_sources(element)[i].of_project()) continue;
    const auto found = store.lookup(*key++);
    if (!found) return tl::unexpected(found.error());
    if (!*found) return false;
    plan.set_tree(element, i, (*found)->record.output);
  }
  return true;
}

}  // namespace weir
