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
  std::string searched;  // the folders, with colons between
};

// Of elements that would be built. Tools that a dependency may bring are not among them: what is in its
// output is not known yet.
std::vector<MissingTool> missing_tools(const BuildPlan& plan, std::span<const ElementId> elements);

// "install the package ninja-build"
std::string how_to_install(std::string_view tool);

}  // namespace weir
