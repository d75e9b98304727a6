#include "core/build/build_plan.h"

#include <algorithm>
#include <unordered_set>

#include "core/exec/sandbox.h"

namespace weir {

namespace {

bool runs_commands(const ElementPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) { return std::holds_alternative<RunStep>(step); });
}

}  // namespace

Result<BuildPlan> BuildPlan::make(const BuildPlanInput& input, store::Store& store, Host& host, Diagnostics& diagnostics) {
  BuildPlan plan(input, host);
  auto sources = import_sources(store, {input.project, input.graph, input.resolved, input.cache_directory}, diagnostics);
  if (!sources) return tl::unexpected(sources.error());
  plan.sources_ = std::move(*sources);
  if (diagnostics.has_errors()) return plan;
  const auto count = input.graph.graph.size();
  plan.keys_.resize(count);
  // Ids are in order of dependence: those of dependencies are known before they are asked for.
  for (std::uint32_t i = 0; i < count; ++i) plan.keys_[i] = store::Key::of(plan.recipe(ElementId{i}));
  host.save();
  return plan;
}

std::vector<ElementId> BuildPlan::closure(std::vector<ElementId> open) const {
  const auto& graph = input_.graph.graph;
  std::unordered_set<std::uint32_t> seen;
  std::vector<ElementId> all;
  while (!open.empty()) {
    const auto next = open.back();
    open.pop_back();
    if (!seen.insert(index(next)).second) continue;
    all.push_back(next);
    for (const auto dependency : graph.runtime_dependencies(next)) open.push_back(dependency);
  }
  // Positions in the project are in order of names.
  std::sort(all.begin(), all.end(), [&](ElementId a, ElementId b) {
    return index(input_.graph.elements[index(a)]) < index(input_.graph.elements[index(b)]);
  });
  return all;
}

std::vector<ElementId> BuildPlan::staged(ElementId id) const {
  if (!resolved(id).kind->stages_dependencies()) return {};
  const auto first = input_.graph.graph.build_dependencies(id);
  return closure({first.begin(), first.end()});
}

std::vector<ElementId> BuildPlan::runtime_closure(ElementId id) const { return closure({id}); }

std::vector<std::string> BuildPlan::host_tools(ElementId id) const {
  auto tools = resolved(id).kind->host_tools();
  const auto& more = input_.project.sandbox.host_tools;
  tools.insert(tools.end(), more.begin(), more.end());
  std::sort(tools.begin(), tools.end());
  tools.erase(std::unique(tools.begin(), tools.end()), tools.end());
  return tools;
}

JobLayout BuildPlan::layout(ElementId id) const {
  if (input_.sandbox != SandboxRoot::none) return {input_.project.prefix, std::string(kInsideInstall)};
  const auto folder = input_.bare_folder(name(id));
  return {folder + "/prefix" + input_.project.prefix, folder + "/install"};
}

Result<ElementPlan> BuildPlan::element_plan(ElementId id) const {
  const auto place = layout(id);
  return resolved(id).kind->plan(resolved(id).config, {input_.project.prefix, place.install});
}

std::string BuildPlan::document(ElementId id, DependencyForm form,
                                const std::function<std::string(ElementId)>& digest) const {
  const auto plan = element_plan(id).value_or(ElementPlan{});
  const auto environment = element_environment(input_.project, element(id), plan, layout(id));
  const auto tools = host_tools(id);
  std::vector<RecipeDependency> dependencies;
  for (const auto dependency : staged(id)) dependencies.push_back({name(dependency), digest(dependency)});
  const RecipeParts parts{resolved(id), sources_.parts[index(id)], environment, input_.project.prefix, input_.sandbox,
                          input_.project.sandbox.uid, tools, runs_commands(plan)};
  return recipe_document(parts, dependencies, form, *host_);
}

std::string BuildPlan::recipe(ElementId id) const {
  return document(id, DependencyForm::recipe, [this](ElementId dependency) { return recipe_key(dependency).hex(); });
}

std::string BuildPlan::resolved_recipe(ElementId id, const std::function<store::Digest(ElementId)>& output) const {
  return document(id, DependencyForm::output, [&](ElementId dependency) { return output(dependency).text(); });
}

Result<JobSpec> BuildPlan::build_spec(ElementId id, const std::function<store::Digest(ElementId)>& output) const {
  auto plan = element_plan(id);
  if (!plan) return tl::unexpected(plan.error());
  const auto& own = element(id);
  JobSpec spec;
  spec.label = own.name + "/build";
  spec.environment = element_environment(input_.project, own, *plan, layout(id));
  spec.steps = std::move(plan->steps);
  set_jobs(spec.steps, spec.environment, own.cpu.least);
  spec.inputs.push_back({sources(id).text(), "/build", MountMode::private_copy, own.name});
  for (const auto dependency : staged(id))
    spec.inputs.push_back({output(dependency).text(), "/", MountMode::read_only, name(dependency)});
  spec.outputs = {"install"};
  spec.limits = {own.timeout, own.stall, own.cpu.least, own.memory};
  spec.sandbox = input_.sandbox;
  spec.uid = input_.project.sandbox.uid;
  return spec;
}

}  // namespace weir
