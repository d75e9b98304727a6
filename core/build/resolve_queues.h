// The row of queues as the project has it, and what the plugins among them make of their configuration.
#pragma once

#include <string>
#include <vector>

#include "core/project/project.h"
#include "plugins/host/kinds.h"

namespace weir {

// A queue of a plugin.
struct ResolvedQueue {
  std::string name;
  const QueueKind* kind = nullptr;
  std::string config;
};

// Those of the row, and `more` that a command wants although the row does not have it; loads their plugins.
// What is wrong becomes diagnostics; the Error is a fault of a plugin.
Result<std::vector<ResolvedQueue>> resolve_queues(const Project& project,
                                                  const std::vector<std::string>& more, Kinds& kinds,
                                                  Diagnostics& diagnostics);

}  // namespace weir
