// The sources of each element as one tree: what is of the project is imported (unchanged files are not read), each at its
// directory, and all are merged. Two sources with the same path and different content are an error.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/build/resolve.h"
#include "core/project/targets.h"
#include "core/store/store.h"

namespace weir {

struct SourceTrees {
  struct Part {
    store::Digest tree;
  };
  // By ElementId: each source, then all of them together.
  std::vector<std::vector<Part>> parts;
  std::vector<store::Digest> merged;
};

// Complaints (a path that is not there, two sources that collide) are diagnostics; an Error is trouble of the store.
struct SourceTreesInput {
  const Project& project;
  const ProjectGraph& graph;
  const std::vector<ResolvedElement>& resolved;  // by ElementIndex
  const std::string& cache_directory;            // left out where it lies inside of a source
};
Result<SourceTrees> import_sources(store::Store& store, const SourceTreesInput& input, Diagnostics& diagnostics);

}  // namespace weir
