#include "core/cli/run_row.h"

#include <algorithm>

#include "core/project/targets.h"
#include "queues/build_queue.h"
#include "queues/pipeline.h"
#include "queues/pull_queue.h"
#include "queues/push_queue.h"
#include "queues/track_queue.h"

namespace weir::cli {

std::vector<ElementId> ids_of(const PlannedTargets& planned) {
  std::vector<ElementId> ids;
  for (const auto target : planned.targets) ids.push_back(planned.graph.ids[index(target)]);
  return ids;
}

std::vector<ElementId> wanted_of(const RunRequest& request, const Project& project,
                                 const PlannedTargets& planned) {
  if (request.work == Work::build || request.work == Work::test) return ids_of(planned);
  std::vector<ElementId> ids;
  for (const auto element : make_graph(project, planned.targets, request.scope).elements)
    ids.push_back(planned.graph.ids[index(element)]);
  return ids;
}

// A build goes the row of the project; a test goes it up to the tests, which stand behind `build` if the row
// has none.
std::vector<std::string_view> queues_of(const RunRequest& request, const Project& project) {
  if (request.work == Work::track) return {"track"};
  if (request.work == Work::fetch) return {"fetch"};
  if (request.work == Work::pull) return {PullQueue::kName};
  if (request.work == Work::push) return {PushQueue::kName};
  std::vector<std::string_view> row;
  if (request.track) row.push_back(TrackQueue::kName);
  for (const auto& queue : project.queues)
    if (queue.text != TrackQueue::kName) row.push_back(queue.text);
  if (request.work != Work::test) return row;
  const auto test = std::find(row.begin(), row.end(), kTestQueue);
  if (test != row.end()) {
    row.erase(test + 1, row.end());
  } else {
    row.erase(std::find(row.begin(), row.end(), BuildQueue::kName) + 1, row.end());
    row.push_back(kTestQueue);
  }
  return row;
}

std::vector<PushGate> push_gates_of(const Project& project) {
  std::vector<PushGate> gates;
  auto place = PluginQueue::Place::before_build;
  for (const auto& queue : project.queues) {
    if (queue.text == PushQueue::kName) return gates;
    if (queue.text == BuildQueue::kName) place = PluginQueue::Place::behind_build;
    if (!is_own_queue(queue.text)) gates.push_back({queue.text, place});
  }
  return gates;
}

}  // namespace weir::cli
