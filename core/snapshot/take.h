// Takes a snapshot of how a project stands at the end of a run: what the project is, what was looked at, and
// what became of each element. Blocks on files.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/build/build_plan.h"
#include "core/project/load.h"
#include "core/snapshot/snapshot_file.h"

namespace weir::snapshot {

// What became of an element of the plan.
struct Outcome {
  bool there = false;
  store::Digest output = {};
  store::Key kept_as = {};
};

struct TakeInput {
  const LoadedProject& loaded;
  const BuildPlan& plan;
  std::span<const ElementIndex> targets;
  std::string question;
  std::string trust;
  std::vector<std::string> host_paths;  // tools, plugins and so on: a change of one concerns everything
  std::function<Outcome(ElementId)> outcome;
};

// An Error if the project changed meanwhile, or its keys are not all known: then there is none.
Status take(const TakeInput& input, const std::string& path);

// Of the names in a folder of element files. Empty if it cannot be read.
Hash128 listing_of(const std::string& folder);

}  // namespace weir::snapshot
