// One element of a project with its store and plan: what commands about a single element start from.
#pragma once

#include "core/cli/command.h"
#include "core/cli/opened_project.h"

namespace weir::cli {

struct OpenedElement {
  std::unique_ptr<OpenedProject> opened;
  OpenedStore store;
  std::unique_ptr<PlannedTargets> planned;
  ElementId target{};

  BuildPlan& plan() const { return *planned->plan; }
};

// What is wrong was told; the exit code says what it was. `purpose` is for people who see who holds the
// store.
tl::expected<OpenedElement, int> open_element(const Globals& globals, const std::string& element,
                                              const std::string& sandbox, std::string_view purpose,
                                              TrustStage stage = TrustStage::open);

}  // namespace weir::cli
