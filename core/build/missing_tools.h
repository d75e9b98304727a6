// Programs that the commands of elements start and that this machine does not have, found before anything is
// run. Kinds declare all tools that their commands may use; what they start by name is needed for sure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/build/build_plan.h"

namespace weir {

struct MissingTool {
  ElementId element;
  std::string tool;
  std::string searched;         // the folders, with colons between
  bool may_be_brought = false;  // by a dependency, which installs it in its bin
};

// Of elements that would be built.
std::vector<MissingTool> missing_tools(const BuildPlan& plan, std::span<const ElementId> elements);

// The same of one element that is about to be built, so that the outputs of its dependencies are known.
// Reason::not_found names the first tool that none of them has. The store is asked only where the host lacks
// one.
Status check_tools(const BuildPlan& plan, store::Store& store, ElementId id,
                   const BuildPlan::OutputOf& output);

// "install the package ninja-build"
std::string how_to_install(std::string_view tool);

}  // namespace weir
