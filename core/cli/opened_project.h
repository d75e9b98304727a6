// A project with its settings, and what its kinds make of it: what most commands start from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/failures.h"
#include "core/build/resolve_queues.h"
#include "core/cli/run_remotes.h"
#include "core/cli/trust.h"
#include "core/project/load.h"
#include "core/project/settings.h"
#include "plugins/host/kinds.h"

namespace weir::cli {

struct OpenedProject {
  Kinds kinds;
  LoadedProject loaded;
  std::vector<ResolvedElement> resolved;  // by ElementIndex
  std::vector<ResolvedQueue> queues;      // of plugins
  LoadedSettings settings;
  ProjectTrust trust;
  std::vector<std::string> unasked_remotes;  // they may not be asked (drop_untrusted_remotes)
  bool is_part = false;                      // only what a change reaches (core/snapshot)

  // For what is made of settings and kinds alone.
  RemoteContext remote_context() { return {values(), project(), loaded.files, kinds}; }
  const Project& project() const { return loaded.project; }
  const Settings& values() const { return settings.settings; }
  const std::string& folder() const { return folder_; }  // of this project in the cache
  Failures failures() const;
  // Where an element has its folders without a sandbox.
  std::string bare_folder(const std::string& element) const;
  // Settings and project are there from now on.
  void find_folder();

 private:
  std::string folder_;
};

// What is wrong was told; the exit code says what it was.
using Opened = tl::expected<std::unique_ptr<OpenedProject>, int>;
enum class LoadBy : std::uint8_t {
  files,
  files_to_track,  // what is wrong in weir.lock is a warning: it will be written again
  snapshot,        // if it is of these very files: for commands that do not build
};
// `queues` of plugins that are wanted beside those of the project's row. `stage`: what the project must be
// trusted with.
Opened open_project(const std::string& directory, std::vector<TextSetting> command_line = {},
                    const std::vector<std::string>& queues = {}, LoadBy by = LoadBy::snapshot,
                    TrustStage stage = TrustStage::open);

// The same of a part of a project that was opened before.
Opened open_loaded(LoadedProject loaded, std::vector<TextSetting> command_line = {},
                   const std::vector<std::string>& queues = {}, TrustStage stage = TrustStage::run,
                   Asking asking = Asking::silently);

// The store of these settings, pinned for `purpose` as long as both live.
struct OpenedStore {
  std::unique_ptr<store::Store> store;
  store::Pin pin;
};
Result<OpenedStore> open_store(const Settings& settings, std::string_view purpose);
// Without a pin, so a gc may take what is found. Works on a full disk.
Result<OpenedStore> open_store_to_look(const Settings& settings);

// The plan of some targets: their sources are imported, their keys known. The graph may have more elements
// than are planned.
struct PlannedTargets {
  std::vector<ElementIndex> targets;
  ProjectGraph graph;
  std::unique_ptr<Host> host;
  std::optional<BuildPlan> plan;
};

// What is wrong with sources of these elements that have no ref. Any thread.
Diagnostics unpinned(const OpenedProject& opened, const ProjectGraph& graph,
                     std::span<const ElementId> elements);
// Tells of them and returns the exit code, if there are any.
std::optional<int> tell_unpinned(const OpenedProject& opened, const PlannedTargets& planned,
                                 std::span<const ElementId> elements);

// What the graph of a plan holds; planned are the targets and what they need, whatever it is.
enum class GraphOf : std::uint8_t {
  targets,
  project,  // for runs that take in more targets: core/cli/submissions.h
};
// Tells what is wrong.
tl::expected<std::unique_ptr<PlannedTargets>, int> plan_targets(const OpenedProject& opened,
                                                                store::Store& store,
                                                                std::span<const std::string> targets,
                                                                GraphOf graph_of = GraphOf::targets);

}  // namespace weir::cli
