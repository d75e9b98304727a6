// All that can be said of the elements of a run before anything is built: what their kinds make of them,
// their sources as trees, their recipe keys. `weir build` and `weir show` start from it. While a run goes on
// it learns the refs that were tracked and the trees that were fetched, on the loop's thread alone.
//
// A plan may hold a part of its graph, and grow: all tables have room for the whole graph from the start, so
// nothing moves. The slow part (sources, kinds, tools) is done by prepare() on any thread, since it reads
// only what never changes; add() is the loop's. Whoever is planned, so is all that it depends on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/build/core_sharing.h"
#include "core/build/environment.h"
#include "core/build/host.h"
#include "core/build/recipe.h"
#include "core/build/resolve.h"
#include "core/build/source_trees.h"
#include "core/project/targets.h"
#include "core/store/store.h"

namespace weir {

// What was found out of an element by an earlier run, and is still true.
struct KnownElement {
  std::optional<PlannedSources> sources;  // nothing: they are imported
  std::optional<store::Key> recipe_key;   // with its sources: nothing more is asked about it
};

struct BuildPlanInput {
  const Project& project;
  const ProjectGraph& graph;
  const std::vector<ResolvedElement>& resolved;  // by ElementIndex
  SandboxRoot sandbox = SandboxRoot::host;
  std::string cache_directory;  // never part of a source, wherever it is
  // Where an element has its directories without a sandbox; the same in every run, since it is part of the
  // key.
  std::function<std::string(const std::string& element)> bare_folder;
  std::function<KnownElement(ElementId)> known = {};
};

// What the kind made of an element. Its steps and its environment enter the key.
struct PlanFacts {
  ElementPlan plan;
  bool asked = false;  // not of what was known without
  bool runs = false;   // commands, of the element or of one of its sources
};

// What was found out of elements that a plan is to take in.
struct PlanPart {
  std::vector<ElementId> elements;  // in order of ids, so dependencies first
  std::vector<PlannedSources> sources;
  std::vector<PlanFacts> facts;
};

class BuildPlan {
 public:
  // Nothing is planned yet.
  BuildPlan(const BuildPlanInput& input, Host& host);
  // The first `elements` of the graph. Blocks. What is wrong with the project is told in `diagnostics`, and
  // then nothing is planned.
  static Result<BuildPlan> make(const BuildPlanInput& input, std::size_t elements, store::Store& store,
                                Host& host, Diagnostics& diagnostics);

  bool planned(ElementId id) const { return planned_[index(id)]; }
  std::vector<ElementId> planned_elements() const;
  // These and all they depend on, as far as it is not planned; in order of ids. Any thread, as long as nobody
  // adds.
  std::vector<ElementId> unplanned(std::span<const ElementId> targets) const;
  // Imports their sources, asks their kinds, and the tools of the host for their versions: blocks. Any
  // thread. With errors in `diagnostics` the part is not to be added.
  Result<PlanPart> prepare(std::vector<ElementId> elements, store::Store& store, Diagnostics& diagnostics,
                           const std::stop_token& stop = {}) const;
  // Finds their keys, as far as those of their dependencies are known.
  void add(PlanPart part);

  const Project& project() const { return input_.project; }
  const ProjectGraph& graph() const { return input_.graph; }
  const Element& element(ElementId id) const { return input_.graph.element(input_.project, id); }
  const std::string& name(ElementId id) const { return element(id).name; }
  SandboxRoot sandbox() const { return input_.sandbox; }
  const PlannedSources& sources(ElementId id) const { return sources_[index(id)]; }
  const std::vector<ResolvedSource>& resolved_sources(ElementId id) const { return resolved(id).sources; }
  // What pins one source: its ref, or the digest of what is in the project.
  std::string source_ref(ElementId id, std::size_t source) const;
  // Every source of the element has a ref or is of the project.
  bool pinned(ElementId id) const;
  // Its key was known when the plan was made: it is pinned, and so is all that it is built with.
  bool has_key(ElementId id) const { return keys_[index(id)].has_value(); }
  // Of an element that is pinned, and so is all that it is built with.
  const store::Key& recipe_key(ElementId id) const;

  void set_ref(ElementId id, std::size_t source, std::string ref) {
    sources_[index(id)][source] = {std::move(ref), {}};
  }
  void set_tree(ElementId id, std::size_t source, const store::Digest& tree) {
    sources_[index(id)][source].tree = tree;
  }
  // How many cores the run has: no job is planned with more.
  void limit_cores(std::int64_t cores) {
    cores_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(cores, 1, 1 << 20));
  }
  // For runs that track: keys are found out when they are asked for.
  void forget_keys() {
    keys_.assign(keys_.size(), std::nullopt);
    closure_keys_.assign(keys_.size(), std::nullopt);
  }

  // Those of its build dependencies that are staged for it; what these need at run time is too. In order of
  // names.
  std::vector<ElementId> directly_staged(ElementId id) const;

  // What is there while an element is built: its build dependencies and what those need at run time, in order
  // of names.
  std::vector<ElementId> staged(ElementId id) const;
  // What is needed to use it: itself and its dependencies at run time, in order of names.
  std::vector<ElementId> runtime_closure(ElementId id) const;

  // The order in which they are laid over each other while `id` is built or used: as its dependencies are
  // listed, each behind what it needs at run time, `id` itself last. Without `overlaps` no order matters, and
  // they stay as they are.
  std::vector<ElementId> staging_order(ElementId id, std::vector<ElementId> elements) const;

  // Of the resolved key: `output` is asked for every staged element.
  std::string resolved_recipe(ElementId id, const std::function<store::Digest(ElementId)>& output) const;
  std::string recipe(ElementId id) const;

  // What its kind plans; null if it was not asked, because all is known of the element.
  const std::vector<Step>* asked_steps(ElementId id) const {
    return facts_[index(id)].asked ? &facts_[index(id)].plan.steps : nullptr;
  }
  // The PATH of its commands without the prefix.
  std::string host_path(ElementId id) const;

  JobLayout layout(ElementId id, std::string_view queue = "build") const;
  const ResolvedElement& resolved(ElementId id) const {
    return input_.resolved[index(input_.graph.elements[index(id)])];
  }
  using OutputOf = std::function<store::Digest(ElementId)>;
  Result<JobSpec> build_spec(ElementId id, const OutputOf& output) const;
  // What a job of an element gets, in any queue that works on its files: commands and environment, its
  // sources, and the outputs of others at the prefix.
  struct JobFiles {
    bool sources = true;
    std::vector<ElementId> outputs;
  };
  Result<JobSpec> job_spec(ElementId id, std::string_view queue, ElementPlan plan, const JobFiles& files,
                           const OutputOf& output) const;

 private:
  std::vector<ElementId> closure(std::vector<ElementId> open) const;
  using AppendDigest = std::function<void(ElementId, std::string&)>;
  std::string document(ElementId id, DependencyForm form, std::span<const ElementId> dependencies,
                       const AppendDigest& append_digest) const;
  std::vector<RecipeDependency> with_digests(std::span<const ElementId> ids, std::string& digests,
                                             const AppendDigest& append_digest) const;
  std::vector<std::string> host_tools(ElementId id) const;
  Status ask_kinds(PlanPart& part) const;
  Result<PlanFacts> ask_kind(ElementId id) const;
  const PlanFacts& facts(ElementId id) const;
  void ask_tools(std::span<const ElementId> elements) const;
  void take_known(ElementId id, KnownElement known);
  Result<std::vector<PlannedSources>> find_sources(std::span<const ElementId> elements, store::Store& store,
                                                   Diagnostics& diagnostics,
                                                   const std::stop_token& stop) const;
  bool dependencies_planned(ElementId id) const;
  void find_keys(std::span<const ElementId> elements) const;
  void find_key(ElementId id) const;
  void find_all_keys_for(ElementId id) const;
  const std::optional<store::Key>& closure_key(ElementId id) const;
  std::vector<ElementId> by_name(std::span<const ElementId> ids) const;
  void append_closure_key(ElementId id, std::string& out) const;
  Status add_sources(ElementId id, JobSpec& spec) const;
  CoreTools core_tools(ElementId id) const;

  BuildPlanInput input_;
  Host* host_;
  std::uint32_t cores_ = 0;                              // 0: not known
  std::vector<bool> planned_;                            // by ElementId
  std::vector<PlannedSources> sources_;                  // by ElementId
  mutable std::vector<PlanFacts> facts_;                 // by ElementId; of known ones when first asked for
  mutable std::vector<std::optional<store::Key>> keys_;  // by ElementId; found out when first asked for
  mutable std::vector<std::optional<store::Key>> closure_keys_;  // the same
};

}  // namespace weir
