// Elements of kind `script` with local sources, built in plain folders of the run: fetch copies the sources into
// `source`, build copies them to `build` and runs the commands there, with the install folders of all dependencies
// merged at the prefix. Nothing is kept from one run to the next.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cli/run_folder.h"
#include "core/exec/sandbox.h"
#include "core/project/project.h"
#include "core/project/targets.h"
#include "queues/backends.h"

namespace weir::cli {

class FolderBuild final : public Sources, public Artifacts {
 public:
  FolderBuild(const Project& project, const ProjectGraph& graph, const RunFolder& folder, SandboxRoot sandbox);

  bool tracking_wanted(ElementId) const override { return false; }
  bool has_ref(ElementId) const override { return true; }
  bool present(ElementId id) const override {
    return element(id).sources.empty() || state_[index(id)] >= State::fetched;
  }
  PlannedJob plan_track(ElementId element) const override;
  PlannedJob plan_fetch(ElementId element) const override;
  Status tracked(ElementId, const JobResult&) override { return {}; }
  Status fetched(ElementId element, const JobResult&) override { return reach(element, State::fetched); }
  bool cached(ElementId element) const override { return state_[index(element)] == State::built; }
  PlannedJob plan_build(ElementId element) const override;
  Status built(ElementId element, const JobResult&) override { return reach(element, State::built); }

  // For the executor: the folder behind a root of a job, and its inputs merged at the prefix. Any thread.
  std::string directory(const JobSpec& spec, std::string_view root) const;
  Result<std::vector<StagedInput>> stage(const JobSpec& spec) const;

 private:
  enum class State : std::uint8_t { none, fetched, built };
  Status reach(ElementId element, State state) {
    state_[index(element)] = state;
    return {};
  }
  const Element& element(ElementId id) const { return graph_.element(project_, id); }
  std::vector<std::string> staged_elements(ElementId element) const;
  std::vector<std::pair<std::string, std::string>> environment(ElementId element) const;

  const Project& project_;
  const ProjectGraph& graph_;
  const RunFolder& folder_;
  SandboxRoot sandbox_;
  std::vector<State> state_;
};

// The commands of a script and the paths of local sources, checked for all elements at once.
void check_scripts(const Project& project, Diagnostics& diagnostics);

}  // namespace weir::cli
