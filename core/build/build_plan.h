// All that can be said of the elements of a run before anything is built: what their kinds make of them, their sources as
// trees, their recipe keys. Immutable once made; `weir build` and `weir show` start from it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/build/environment.h"
#include "core/build/host.h"
#include "core/build/recipe.h"
#include "core/build/resolve.h"
#include "core/build/source_trees.h"
#include "core/project/targets.h"
#include "core/store/store.h"

namespace weir {

struct BuildPlanInput {
  const Project& project;
  const ProjectGraph& graph;
  const std::vector<ResolvedElement>& resolved;  // by ElementIndex
  SandboxRoot sandbox = SandboxRoot::host;
  std::string cache_directory;  // never part of a source, wherever it is
  // Where an element has its directories without a sandbox; the same in every run, since it is part of the key.
  std::function<std::string(const std::string& element)> bare_folder;
};

class BuildPlan {
 public:
  // Imports the sources: blocks. What is wrong with the project is told in `diagnostics`, and then the plan says nothing.
  static Result<BuildPlan> make(const BuildPlanInput& input, store::Store& store, Host& host, Diagnostics& diagnostics);

  const Project& project() const { return input_.project; }
  const ProjectGraph& graph() const { return input_.graph; }
  const Element& element(ElementId id) const { return input_.graph.element(input_.project, id); }
  const std::string& name(ElementId id) const { return element(id).name; }
  SandboxRoot sandbox() const { return input_.sandbox; }
  const store::Digest& sources(ElementId id) const { return sources_.merged[index(id)]; }
  // What pins one source: its ref, or the digest of what is in the project.
  std::string source_ref(ElementId id, std::size_t source) const { return sources_.parts[index(id)][source].tree.hex(); }
  const store::Key& recipe_key(ElementId id) const { return keys_[index(id)]; }

  // What is there while an element is built: its build dependencies and what those need at run time, in order of names.
  std::vector<ElementId> staged(ElementId id) const;
  // What is needed to use it: itself and its dependencies at run time, in order of names.
  std::vector<ElementId> runtime_closure(ElementId id) const;

  // Of the resolved key: `output` is asked for every staged element.
  std::string resolved_recipe(ElementId id, const std::function<store::Digest(ElementId)>& output) const;
  std::string recipe(ElementId id) const;

  JobLayout layout(ElementId id) const;
  Result<ElementPlan> element_plan(ElementId id) const;
  // Beside the project's own folders: commands and environment of the build, cores granted.
  Result<JobSpec> build_spec(ElementId id, const std::function<store::Digest(ElementId)>& output) const;

 private:
  explicit BuildPlan(const BuildPlanInput& input, Host& host) : input_(input), host_(&host) {}
  const ResolvedElement& resolved(ElementId id) const { return input_.resolved[index(input_.graph.elements[index(id)])]; }
  std::vector<ElementId> closure(std::vector<ElementId> open) const;
  std::string document(ElementId id, DependencyForm form, const std::function<std::string(ElementId)>& digest) const;
  std::vector<std::string> host_tools(ElementId id) const;

  BuildPlanInput input_;
  Host* host_;
  SourceTrees sources_;
  std::vector<store::Key> keys_;  // by ElementId
};

}  // namespace weir
