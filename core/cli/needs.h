// What the jobs of a project take: its tokens from settings and machine, and a request per element.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/project/project.h"
#include "core/project/settings.h"
#include "core/project/targets.h"
#include "queues/needs.h"
#include "resources/lanes.h"
#include "resources/ledger.h"
#include "resources/probe.h"

namespace weir::cli {

struct ProjectNeeds {
  NeedsTable download;
  NeedsTable build;
  NeedsTable upload;
};

// The lanes of jobs that bring sources: names of the mirrors that an element uses.
using MirrorsOf = std::function<std::vector<std::string>(ElementId)>;

// Fills the ledger. An element that asks for more than there is, or for a token that nobody declared, is an error that
// names it.
Result<ProjectNeeds> make_needs(const Project& project, const Settings& settings, const ProjectGraph& graph,
                                const Machine& machine, Ledger& ledger, Lanes& lanes, const MirrorsOf& mirrors);

}  // namespace weir::cli
