// Which queues a run has, and which elements it wants.
#pragma once

#include <string_view>
#include <vector>

#include "core/cli/opened_project.h"
#include "core/cli/session.h"

namespace weir::cli {

inline constexpr std::string_view kTestQueue = "test";

std::vector<std::string_view> queues_of(const RunRequest& request, const Project& project);

// The queues of the project between `build` and `push`: an artifact is pushed only if they succeeded for it.
std::vector<std::string_view> push_gates_of(const Project& project);

std::vector<ElementId> ids_of(const PlannedTargets& planned);
// A build finds out by itself which dependencies it needs; to track and to fetch is wanted of each.
std::vector<ElementId> wanted_of(const RunRequest& request, const Project& project,
                                 const PlannedTargets& planned);

}  // namespace weir::cli
