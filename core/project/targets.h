// What the user asked for, and the graph of a run. A target is a name or a glob: `*` and `?` stay within one
// part of a path, `**` crosses slashes.
//
// Order: targets as given (a glob gives its elements by name), dependencies as listed (depends,
// build-depends, runtime-depends), each element after all it depends on. So the user's order decides what
// comes first, and neither the order of files nor of anything else does.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/graph.h"
#include "core/project/project.h"

namespace weir {

bool glob_matches(std::string_view pattern, std::string_view name);

// Each element once. No targets: the project's default, and without one every element that nothing else
// depends on. All unknown targets are named in one error, with a did-you-mean.
Result<std::vector<ElementIndex>> select_targets(const Project& project,
                                                 std::span<const std::string> targets);

// `--deps`: which dependencies of the targets come along.
enum class DependencyScope : std::uint8_t {
  none,   // the targets alone
  build,  // what the targets are built with, and all that needs
  run,    // what the targets need at run time
  all,
};

struct ProjectGraph {
  Graph graph;
  std::vector<ElementIndex> elements;  // by ElementId
  std::vector<ElementId> ids;          // by ElementIndex; kNoElement: not part of it
  std::size_t chosen = 0;              // the targets and what they need: the first so many
  const Element& element(const Project& project, ElementId id) const { return project[elements[index(id)]]; }
};

// The project must have loaded without errors: a cycle would be a bug here.
ProjectGraph make_graph(const Project& project, std::span<const ElementIndex> targets,
                        DependencyScope scope = DependencyScope::all);

// All elements of the project: the targets and what they need as make_graph has them, with the same ids, then
// the rest in order of names, dependencies first. For runs that may be asked for more.
ProjectGraph make_whole_graph(const Project& project, std::span<const ElementIndex> targets);

}  // namespace weir
