// The sources of each element: what is of the project is imported when a run is planned (unchanged files are
// not read), what comes from elsewhere is pinned by its ref and has a tree once it is fetched.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/build/resolve.h"
#include "core/project/targets.h"
#include "core/store/store.h"

namespace weir {

struct PlannedSource {
  std::string ref;                    // of what is not of the project; empty: not tracked yet
  std::optional<store::Digest> tree;  // its files, if they are here
  // Of what is of the project: where it was imported from, and what was looked at.
  std::string path = {};
  store::SeenPaths seen = {};
};
using PlannedSources = std::vector<PlannedSource>;

struct SourceTreesInput {
  const Project& project;
  const ProjectGraph& graph;
  const std::vector<ResolvedElement>& resolved;  // by ElementIndex
  const std::string& cache_directory;            // left out where it lies inside of a source
};
// In the order of `elements`. Complaints (a path that is not there, two sources that collide) are
// diagnostics; an Error is trouble of the store, or Reason::cancelled if it was told to stop before the last
// element.
Result<std::vector<PlannedSources>> import_sources(store::Store& store, const SourceTreesInput& input,
                                                   std::span<const ElementId> elements,
                                                   Diagnostics& diagnostics,
                                                   const std::stop_token& stop = {});

}  // namespace weir
