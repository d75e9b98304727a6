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

// A source that a job of this run is to track or to fetch.
struct SourceOfElement {
  ElementId element;
  std::size_t source = 0;
};
enum class SourceJob : std::uint8_t { track, fetch };

// Nothing of the project itself, and to be fetched only what has a ref. One of each kind: enough to see
// whether any tool is missing at all, since a kind is asked once and not for thousands of sources.
std::vector<SourceOfElement> one_source_of_each_kind(const BuildPlan& plan,
                                                     std::span<const ElementId> elements, SourceJob job);
std::vector<SourceOfElement> sources_to_track(const BuildPlan& plan, std::span<const ElementId> elements);
// What the store does not have.
Result<std::vector<SourceOfElement>> sources_to_fetch(const BuildPlan& plan, store::Store& store,
                                                      std::span<const ElementId> elements);

struct MissingSourceTool {
  SourceOfElement of;
  std::string tool;
};

// Programs that these jobs start by name, and that are not in `path`: the folders, with colons between, of
// weir's own environment, since such jobs run without a sandbox.
std::vector<MissingSourceTool> missing_source_tools(const BuildPlan& plan,
                                                    std::span<const SourceOfElement> sources, SourceJob job,
                                                    const std::string& path);

// "install the package ninja-build"
std::string how_to_install(std::string_view tool);

}  // namespace weir
