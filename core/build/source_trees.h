// The sources of each element: what is of the project is imported when a run is planned (unchanged files are not read),
// what comes from elsewhere is pinned by its ref and has a tree once it is fetched.
#pragma once

#include <optional>
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
};
using PlannedSources = std::vector<PlannedSource>;

struct SourceTreesInput {
  const Project& project;
  const ProjectGraph& graph;
  const std::vector<ResolvedElement>& resolved;  // by ElementIndex
  const std::string& cache_directory;            // left out where it lies inside of a source
};
// By ElementId. Complaints (a path that is not there, two sources that collide) are diagnostics; an Error is trouble of the
// store.
Result<std::vector<PlannedSources>> import_sources(store::Store& store, const SourceTreesInput& input, Diagnostics& diagnostics);

}  // namespace weir
