#include "core/build/build_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/assert.h"
#include "core/build/job_label.h"
#include "core/exec/sandbox.h"

namespace weir {

namespace {

// A closure has one for each of its elements: no string of its own.
void append_hex(std::string& out, const store::Sha256& hash) {
  constexpr char kDigits[] = "0123456789abcdef";
  char text[2 * sizeof(store::Sha256)];
  for (std::size_t i = 0; i < hash.size(); ++i) {
    text[2 * i] = kDigits[hash[i] >> 4];
    text[2 * i + 1] = kDigits[hash[i] & 15];
  }
  out.append(text, sizeof text);
}

constexpr std::size_t kLongestDigest = 64 + 1 + 20;  // hash, slash, size

bool has_commands(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return std::holds_alternative<RunStep>(step); });
}

// Distinct. A bit per position is set and read back in order where they are close together.
void sort_positions(std::vector<std::uint32_t>& positions) {
  constexpr std::size_t kFew = 64;
  if (positions.size() < kFew) return std::sort(positions.begin(), positions.end());
  const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
  const auto begin = *least;
  const std::size_t words = (*most - begin) / 64 + 1;
  if (words > positions.size()) return std::sort(positions.begin(), positions.end());
  std::vector<std::uint64_t> bits(words);
  for (const auto position : positions)
    bits[(position - begin) / 64] |= std::uint64_t{1} << (position - begin) % 64;
  auto to = positions.begin();
  for (std::size_t word = 0; word < words; ++word)
    for (auto rest = bits[word]; rest != 0; rest &= rest - 1)
      *to++ =
          begin + static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest));
}

}  // namespace

BuildPlan::BuildPlan(const BuildPlanInput& input, Host& host)
    : input_(input),
      host_(&host),
      planned_(input.graph.graph.size()),
      sources_(planned_.size()),
      facts_(planned_.size()),
      keys_(planned_.size()),
      closure_keys_(planned_.size()) {}

Result<BuildPlan> BuildPlan::make(const BuildPlanInput& input, std::size_t elements, store::Store& store,
                                  Host& host, Diagnostics& diagnostics) {
  BuildPlan plan(input, host);
  std::vector<ElementId> first;
  for (std::uint32_t i = 0; i < elements; ++i) {
    const ElementId id{i};
    if (auto known = input.known ? input.known(id) : KnownElement{}; known.recipe_key)
      plan.take_known(id, std::move(known));
    else first.push_back(id);
  }
  auto part = plan.prepare(std::move(first), store, diagnostics);
  if (!part) return tl::unexpected(part.error());
  if (!diagnostics.has_errors()) plan.add(std::move(*part));
  return plan;
}

std::vector<ElementId> BuildPlan::planned_elements() const {
  std::vector<ElementId> all;
  for (std::uint32_t i = 0; i < planned_.size(); ++i)
    if (planned_[i]) all.push_back(ElementId{i});
  return all;
}

std::vector<ElementId> BuildPlan::unplanned(std::span<const ElementId> targets) const {
  const auto& graph = input_.graph.graph;
  std::unordered_set<std::uint32_t> seen;
  std::vector<ElementId> all;
  const auto reach = [&](ElementId id) {
    if (!planned(id) && seen.insert(index(id)).second) all.push_back(id);
  };
  for (const auto target : targets) reach(target);
  for (std::size_t next = 0; next < all.size(); ++next) {
    const auto id = all[next];
    for (const auto dependency : graph.build_dependencies(id)) reach(dependency);
    for (const auto dependency : graph.runtime_dependencies(id)) reach(dependency);
  }
  std::sort(all.begin(), all.end(), [](ElementId a, ElementId b) { return index(a) < index(b); });
  return all;
}

Result<PlanPart> BuildPlan::prepare(std::vector<ElementId> elements, store::Store& store,
                                    Diagnostics& diagnostics, const std::stop_token& stop) const {
  PlanPart part{std::move(elements), {}, {}};
  auto sources = find_sources(part.elements, store, diagnostics, stop);
  if (!sources) return tl::unexpected(sources.error());
  part.sources = std::move(*sources);
  if (diagnostics.has_errors()) return part;
  if (auto asked = ask_kinds(part); !asked) return tl::unexpected(asked.error());
  ask_tools(part.elements);
  return part;
}

Result<std::vector<PlannedSources>> BuildPlan::find_sources(std::span<const ElementId> elements,
                                                            store::Store& store, Diagnostics& diagnostics,
                                                            const std::stop_token& stop) const {
  const SourceTreesInput trees{input_.project, input_.graph, input_.resolved, input_.cache_directory};
  if (!input_.known) return import_sources(store, trees, elements, diagnostics, stop);
  std::vector<PlannedSources> all;
  for (const auto id : elements) {
    if (auto known = input_.known(id).sources) {
      all.push_back(std::move(*known));
      continue;
    }
    auto own = import_sources(store, trees, {&id, 1}, diagnostics, stop);
    if (!own) return own;
    all.push_back(std::move(own->front()));
  }
  return all;
}

void BuildPlan::take_known(ElementId id, KnownElement known) {
  if (known.sources) sources_[index(id)] = std::move(*known.sources);
  keys_[index(id)] = *known.recipe_key;
  planned_[index(id)] = true;
}

Status BuildPlan::ask_kinds(PlanPart& part) const {
  for (const auto id : part.elements) {
    auto facts = ask_kind(id);
    if (!facts)
      return fail(facts.error().reason,
                  fmt::format("element {}: {}", weir::in_quotes(name(id)), facts.error().message),
                  facts.error().remedy);
    part.facts.push_back(std::move(*facts));
  }
  return {};
}

Result<PlanFacts> BuildPlan::ask_kind(ElementId id) const {
  auto plan = resolved(id).kind->plan(resolved(id).config, {input_.project.prefix, layout(id).install});
  if (!plan) return tl::unexpected(plan.error());
  PlanFacts facts{std::move(*plan), true};
  facts.runs = has_commands(facts.plan.steps);
  for (const auto& source : resolved(id).sources) facts.runs |= has_commands(source.stage.steps);
  return facts;
}

const PlanFacts& BuildPlan::facts(ElementId id) const {
  auto& own = facts_[index(id)];
  if (own.asked) return own;
  if (auto asked = ask_kind(id)) own = std::move(*asked);
  return own;
}

// Asking a tool takes a process, and keys may be wanted on the loop's thread later.
void BuildPlan::ask_tools(std::span<const ElementId> elements) const {
  if (input_.sandbox == SandboxRoot::staged) return;
  std::set<std::string> tools;
  for (const auto id : elements)
    for (auto& tool : host_tools(id)) tools.insert(std::move(tool));
  for (const auto& tool : tools) host_->version_of(tool);
}

void BuildPlan::add(PlanPart part) {
  WEIR_ASSERT(part.facts.size() == part.elements.size(), "a part of {} elements knows {}",
              part.elements.size(), part.facts.size());
  for (std::size_t i = 0; i < part.elements.size(); ++i) {
    const auto id = part.elements[i];
    WEIR_ASSERT(!planned(id) && dependencies_planned(id), "{} is planned twice, or before what it depends on",
                name(id));
    sources_[index(id)] = std::move(part.sources[i]);
    facts_[index(id)] = std::move(part.facts[i]);
    planned_[index(id)] = true;
  }
  find_keys(part.elements);
}

bool BuildPlan::dependencies_planned(ElementId id) const {
  const auto all = [this](std::span<const ElementId> ids) {
    return std::all_of(ids.begin(), ids.end(), [this](ElementId one) { return planned(one); });
  };
  return all(input_.graph.graph.build_dependencies(id)) && all(input_.graph.graph.runtime_dependencies(id));
}

// Ids are in order of dependence: those of dependencies are known before they are asked for.
void BuildPlan::find_keys(std::span<const ElementId> elements) const {
  for (const auto id : elements) find_key(id);
}

void BuildPlan::find_key(ElementId id) const {
  const auto with = directly_staged(id);
  const auto known = [this](ElementId dependency) { return closure_key(dependency).has_value(); };
  if (!keys_[index(id)] && pinned(id) && std::all_of(with.begin(), with.end(), known))
    keys_[index(id)] = store::Key::of(recipe(id));
}

std::string BuildPlan::source_ref(ElementId id, std::size_t source) const {
  const auto& own = sources(id)[source];
  return resolved(id).sources[source].of_project() && own.tree ? own.tree->hex() : own.ref;
}

bool BuildPlan::pinned(ElementId id) const {
  const auto& kinds = resolved(id).sources;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (!kinds[i].of_project() && sources(id)[i].ref.empty()) return false;
  return true;
}

const store::Key& BuildPlan::recipe_key(ElementId id) const {
  if (!keys_[index(id)]) find_all_keys_for(id);
  WEIR_ASSERT(keys_[index(id)], "the key of {} is not known", name(id));
  return *keys_[index(id)];
}

// No key that this one does not need: the ref of another element may still change in a run that tracks.
void BuildPlan::find_all_keys_for(ElementId id) const {
  std::unordered_set<std::uint32_t> seen;
  std::vector<ElementId> all;
  const auto reach = [&](std::span<const ElementId> ids) {
    for (const auto one : ids)
      if (!closure_keys_[index(one)] && seen.insert(index(one)).second) all.push_back(one);
  };
  reach(directly_staged(id));
  for (std::size_t next = 0; next < all.size(); ++next) {
    const auto one = all[next];
    reach(directly_staged(one));
    reach(input_.graph.graph.runtime_dependencies(one));
  }
  std::sort(all.begin(), all.end(), [](ElementId a, ElementId b) { return index(a) < index(b); });
  find_keys(all);
  find_key(id);
}

// Nothing as long as the key of something in the closure is not known. Not by recursion: a chain of
// dependencies may be as long as the project is large.
const std::optional<store::Key>& BuildPlan::closure_key(ElementId id) const {
  std::vector<ElementId> open = {id};
  while (!open.empty()) {
    const auto next = open.back();
    const auto before = open.size();
    if (!closure_keys_[index(next)]) {
      if (!keys_[index(next)]) break;
      for (const auto dependency : input_.graph.graph.runtime_dependencies(next))
        if (!closure_keys_[index(dependency)]) open.push_back(dependency);
      if (open.size() > before) continue;  // those first
      std::string digests;
      const auto runtime = by_name(input_.graph.graph.runtime_dependencies(next));
      const auto dependencies = with_digests(
          runtime, digests, [this](ElementId one, std::string& out) { append_closure_key(one, out); });
      closure_keys_[index(next)] = store::Key::of(closure_document(keys_[index(next)]->hex(), dependencies));
    }
    open.pop_back();
  }
  return closure_keys_[index(id)];
}

void BuildPlan::append_closure_key(ElementId id, std::string& out) const {
  const auto& key = closure_key(id);
  WEIR_ASSERT(key, "the key of {} is not known", name(id));
  append_hex(out, key->hash);
}

std::vector<ElementId> BuildPlan::by_name(std::span<const ElementId> ids) const {
  std::vector<ElementId> all(ids.begin(), ids.end());
  const auto position = [this](ElementId id) { return index(input_.graph.elements[index(id)]); };
  std::sort(all.begin(), all.end(), [&](ElementId a, ElementId b) { return position(a) < position(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Closures of a long chain are as long as the project, and each element has one: no hash table, and no
// sorting where a look at every position is cheaper.
std::vector<ElementId> BuildPlan::closure(std::vector<ElementId> open) const {
  const auto& graph = input_.graph.graph;
  // By position in the project, which is in order of names. All false between two calls.
  thread_local std::vector<std::uint32_t> ids;
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  if (ids.size() < input_.graph.ids.size()) ids.resize(input_.graph.ids.size(), kNone);
  std::vector<std::uint32_t> positions;
  while (!open.empty()) {
    const auto next = open.back();
    open.pop_back();
    const auto position = index(input_.graph.elements[index(next)]);
    if (ids[position] != kNone) continue;
    ids[position] = index(next);
    positions.push_back(position);
    for (const auto dependency : graph.runtime_dependencies(next)) open.push_back(dependency);
  }
  sort_positions(positions);
  std::vector<ElementId> all;
  all.reserve(positions.size());
  for (const auto position : positions) all.push_back(ElementId{std::exchange(ids[position], kNone)});
  return all;
}

std::vector<ElementId> BuildPlan::directly_staged(ElementId id) const {
  if (!resolved(id).kind->stages_dependencies()) return {};
  return by_name(input_.graph.graph.build_dependencies(id));
}

std::vector<ElementId> BuildPlan::staged(ElementId id) const { return closure(directly_staged(id)); }

std::vector<ElementId> BuildPlan::runtime_closure(ElementId id) const { return closure({id}); }

// Not by recursion, like find_key.
std::vector<ElementId> BuildPlan::staging_order(ElementId id, std::vector<ElementId> elements) const {
  if (element(id).overlaps.empty()) return elements;
  const auto& graph = input_.graph.graph;
  std::unordered_map<std::uint32_t, std::size_t> position;  // 0: entered, not left
  std::vector<ElementId> open{id};
  const auto open_reversed = [&](std::span<const ElementId> ids) {
    for (auto at = ids.rbegin(); at != ids.rend(); ++at)
      if (!position.contains(index(*at))) open.push_back(*at);
  };
  for (std::size_t left = 0; !open.empty();) {
    const auto next = open.back();
    const auto [at, entered] = position.try_emplace(index(next), 0);
    if (entered) {
      open_reversed(graph.runtime_dependencies(next));
      if (next == id) open_reversed(graph.build_dependencies(next));
      continue;
    }
    open.pop_back();
    if (at->second == 0) at->second = ++left;
  }
  std::stable_sort(elements.begin(), elements.end(),
                   [&](ElementId a, ElementId b) { return position[index(a)] < position[index(b)]; });
  return elements;
}

std::vector<std::string> BuildPlan::host_tools(ElementId id) const {
  auto tools = resolved(id).kind->host_tools();
  const auto& more = input_.project.sandbox.host_tools;
  tools.insert(tools.end(), more.begin(), more.end());
  for (const auto& source : resolved(id).sources)
    tools.insert(tools.end(), source.kind->host_tools().begin(), source.kind->host_tools().end());
  std::sort(tools.begin(), tools.end());
  tools.erase(std::unique(tools.begin(), tools.end()), tools.end());
  return tools;
}

std::string BuildPlan::host_path(ElementId id) const {
  const std::string* given = nullptr;
  const auto look_in = [&given](const auto& variables) {
    for (const auto& [name, value] : variables)
      if (name == "PATH") given = &value;
  };
  look_in(facts_[index(id)].plan.environment);
  look_in(input_.project.env);
  look_in(element(id).env);
  if (!given) return std::string(kHostPath);
  const auto of_prefix = layout(id).prefix + "/bin:";
  return given->starts_with(of_prefix) ? given->substr(of_prefix.size()) : *given;
}

JobLayout BuildPlan::layout(ElementId id, std::string_view queue) const {
  if (input_.sandbox != SandboxRoot::none) return {input_.project.prefix, std::string(kInsideInstall)};
  const auto folder = input_.bare_folder(folder_name(name(id), queue));
  return {folder + "/prefix" + input_.project.prefix, folder + "/install"};
}

// `digests` holds what the result refers to.
std::vector<RecipeDependency> BuildPlan::with_digests(std::span<const ElementId> ids, std::string& digests,
                                                      const AppendDigest& append_digest) const {
  digests.reserve(ids.size() * kLongestDigest);  // the views below stay where they are
  std::vector<RecipeDependency> all;
  all.reserve(ids.size());
  for (const auto id : ids) {
    const auto begin = digests.size();
    append_digest(id, digests);
    WEIR_ASSERT(digests.size() - begin <= kLongestDigest, "a digest has {} digits", digests.size() - begin);
    all.push_back({name(id), std::string_view(digests).substr(begin)});
  }
  return all;
}

std::string BuildPlan::document(ElementId id, DependencyForm form, std::span<const ElementId> with,
                                const AppendDigest& append_digest) const {
  // A kind that gives no plan now gives none to the job either: nothing is kept by this document.
  const auto& facts = this->facts(id);
  const auto environment =
      element_environment(input_.project, element(id), facts.plan.environment, layout(id));
  const auto tools = host_tools(id);
  std::string digests;
  const auto dependencies = with_digests(with, digests, append_digest);
  const auto& overlaps = element(id).overlaps;
  std::vector<std::string_view> order;
  if (!overlaps.empty())
    for (const auto dependency : staging_order(id, staged(id))) order.emplace_back(name(dependency));
  const RecipeParts parts{resolved(id),
                          sources(id),
                          facts.plan.steps,
                          environment,
                          input_.project.prefix,
                          input_.sandbox,
                          input_.project.sandbox.uid,
                          input_.project.sandbox.user_namespaces && input_.sandbox != SandboxRoot::none,
                          tools,
                          overlaps,
                          order,
                          facts.runs};
  return recipe_document(parts, dependencies, form, *host_);
}

std::string BuildPlan::recipe(ElementId id) const {
  return document(id, DependencyForm::closure, directly_staged(id),
                  [this](ElementId dependency, std::string& out) { append_closure_key(dependency, out); });
}

std::string BuildPlan::resolved_recipe(ElementId id,
                                       const std::function<store::Digest(ElementId)>& output) const {
  return document(id, DependencyForm::output, staged(id), [&](ElementId dependency, std::string& out) {
    const auto digest = output(dependency);
    append_hex(out, digest.hash);
    fmt::format_to(std::back_inserter(out), "/{}", digest.size);
  });
}

Result<JobSpec> BuildPlan::build_spec(ElementId id, const OutputOf& output) const {
  auto plan = facts(id).asked ? Result<PlanFacts>(facts(id)) : ask_kind(id);
  if (!plan) return tl::unexpected(plan.error());
  return job_spec(id, "build", std::move(plan->plan), {true, staged(id)}, output);
}

Result<JobSpec> BuildPlan::job_spec(ElementId id, std::string_view queue, ElementPlan plan,
                                    const JobFiles& files, const OutputOf& output) const {
  const auto& own = element(id);
  JobSpec spec;
  spec.label = job_label(own.name, queue);
  const auto place = layout(id, queue);
  spec.environment = element_environment(input_.project, own, plan.environment, place);
  // What was built is there, and not only to be used there one day.
  if (queue != "build") set_variable(spec.environment, "WEIR_PREFIX", place.prefix);
  if (files.sources)
    if (auto added = add_sources(id, spec); !added) return tl::unexpected(added.error());
  for (auto& step : plan.steps) spec.steps.push_back(std::move(step));
  const auto cores = plan_cores(own.cpu, cores_, core_tools(id), spec.steps, spec.environment);
  set_jobs(spec.steps, spec.environment, cores.jobs);
  spec.sharing = cores.sharing;
  spec.most_cores = cores.most;
  for (const auto other : staging_order(id, files.outputs))
    spec.inputs.push_back({output(other).text(), "/", MountMode::read_only, name(other)});
  spec.outputs = {"install"};
  spec.limits = {own.timeout, own.stall, cores.least, own.memory};
  spec.sandbox = input_.sandbox;
  spec.uid = input_.project.sandbox.uid;
  spec.user_namespaces = input_.project.sandbox.user_namespaces && input_.sandbox != SandboxRoot::none;
  return spec;
}

// Only those that were asked for keys: asking takes a process. A staged root has tools of its own.
CoreTools BuildPlan::core_tools(ElementId id) const {
  const auto& kind = *resolved(id).kind;
  const bool runs_make = kind.plugin().empty() && is_kind_that_runs_make(kind.name());
  if (input_.sandbox == SandboxRoot::staged) return {{}, {}, runs_make};
  const auto known = host_tools(id);
  const auto version = [&](const std::string& tool) {
    return std::binary_search(known.begin(), known.end(), tool) ? std::string_view(host_->version_of(tool))
                                                                : std::string_view();
  };
  return {version("make"), version("ninja"), runs_make};
}

Status BuildPlan::add_sources(ElementId id, JobSpec& spec) const {
  for (std::size_t i = 0; i < resolved(id).sources.size(); ++i) {
    const auto& stage = resolved(id).sources[i].stage;
    const auto& tree = sources(id)[i].tree;
    if (!tree) return fail(Reason::bug, "a source was not fetched");
    spec.inputs.push_back({tree->text(), stage.place.empty() ? "/build" : "/build/" + stage.place,
                           MountMode::private_copy, fmt::format("source {}", i + 1)});
    spec.steps.insert(spec.steps.end(), stage.steps.begin(), stage.steps.end());
  }
  return {};
}

}  // namespace weir
