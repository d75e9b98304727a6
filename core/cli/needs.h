// What the jobs of a project take: its tokens from settings and machine, and a request per element.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/build/resolve_queues.h"
#include "core/project/project.h"
#include "core/project/settings.h"
#include "core/project/targets.h"
#include "queues/needs.h"
#include "resources/lanes.h"
#include "resources/ledger.h"
#include "resources/probe.h"

namespace weir::cli {

using QueueNeeds = std::map<std::string, NeedsTable, std::less<>>;  // of queues of plugins, by name

struct ProjectNeeds {
  NeedsTable download;
  NeedsTable build;
  NeedsTable upload;
  QueueNeeds plugin_queues;
};

// The lanes of jobs that bring sources: names of the mirrors that an element uses.
using MirrorsOf = std::function<std::vector<std::string>(ElementId)>;

// What a queue of a plugin needs for an element; nothing: its cores.
using TokensOf = std::function<Result<std::optional<std::vector<TokenCount>>>(const ResolvedQueue&, ElementId)>;
struct QueuesToServe {
  const std::vector<ResolvedQueue>& queues;
  TokensOf tokens;
};

// Fills the ledger. An element that asks for more than there is, or for a token that nobody declared, is an error that
// names it.
Result<ProjectNeeds> make_needs(const Project& project, const Settings& settings, const ProjectGraph& graph,
                                const Machine& machine, Ledger& ledger, Lanes& lanes, const MirrorsOf& mirrors,
                                const QueuesToServe& plugin_queues);

}  // namespace weir::cli
