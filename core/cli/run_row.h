// Which queues a run has, and which elements it wants.
#pragma once

#include <string_view>
#include <vector>

#include "core/cli/opened_project.h"
#include "core/cli/session.h"
#include "queues/plugin_queue.h"

namespace weir::cli {

inline constexpr std::string_view kTestQueue = "test";

std::vector<std::string_view> queues_of(const RunRequest& request, const Project& project);

// The queues of plugins before `push` in the project's row: an artifact is pushed only if they succeeded for
// it, those before `build` for what it was built from.
struct PushGate {
  std::string_view queue;
  PluginQueue::Place place;
};
std::vector<PushGate> push_gates_of(const Project& project);

std::vector<ElementId> ids_of(const PlannedTargets& planned);
// A build finds out by itself which dependencies it needs; to track and to fetch is wanted of each.
std::vector<ElementId> wanted_of(const RunRequest& request, const Project& project,
                                 const PlannedTargets& planned);

}  // namespace weir::cli
