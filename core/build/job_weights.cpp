#include "core/build/job_weights.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/median.h"

namespace weir {

namespace {

constexpr std::uint32_t kRunsNothing = 1;

// Their output follows from sources and dependencies.
bool runs_nothing(std::string_view kind) { return kind == "import" || kind == "stack"; }

// Milliseconds of a small project of that kind: its configuration, and some dozens of files to compile.
// Plugins of others are taken for something in between.
std::uint32_t usual_of_kind(std::string_view kind) {
  constexpr std::pair<std::string_view, std::uint32_t> kKinds[] = {
      {"script", 1000}, {"make", 4000}, {"meson", 6000}, {"cmake", 8000}, {"autotools", 12000}};
  for (const auto& [name, usual] : kKinds)
    if (name == kind) return usual;
  return 3000;
}

// Commands of a script are lists in its configuration; of other kinds those are arguments, and say nothing.
std::uint32_t commands_of(const Element& element) {
  constexpr std::uint32_t kMost = 64;
  if (element.kind.text != "script" || !element.config.table()) return 1;
  std::size_t count = 0;
  for (const auto& member : *element.config.table())
    if (const auto* list = member.value.array()) count += list->size();
  return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::min<std::size_t>(count, kMost)), 1, kMost);
}

// Files and folders at the top of its sources: the size of a tree's root is known with its digest, and an
// entry takes about 80 bytes of it.
std::uint32_t entries_of(const PlannedSources& sources) {
  constexpr std::uint64_t kEntry = 80, kMost = 512;
  std::uint64_t bytes = 0;
  for (const auto& source : sources)
    if (source.tree) bytes += source.tree->size;
  return static_cast<std::uint32_t>(std::min(bytes / kEntry, kMost));
}

// 32 entries at the top are as much work again.
std::uint32_t guess(const BuildPlan& plan, ElementId id) {
  const auto& element = plan.element(id);
  return usual_of_kind(element.kind.text) * commands_of(element) / 32 * (32 + entries_of(plan.sources(id)));
}

std::vector<std::uint32_t> recorded_of(const BuildPlan& plan, const std::vector<ElementId>& planned,
                                       const Durations& durations) {
  std::vector<std::uint32_t> recorded;
  if (durations.empty()) return recorded;
  recorded.resize(plan.graph().graph.size());
  for (const auto id : planned) recorded[index(id)] = durations.of(plan.name(id));
  return recorded;
}

using ByKind = std::map<std::string_view, std::uint32_t>;

ByKind medians(const BuildPlan& plan, const std::vector<ElementId>& planned,
               const std::vector<std::uint32_t>& recorded) {
  std::map<std::string_view, std::vector<std::uint32_t>> known;
  for (const auto id : planned)
    if (const auto took = recorded[index(id)]) known[plan.element(id).kind.text].push_back(took);
  ByKind result;
  for (auto& [kind, values] : known) result[kind] = median(std::move(values));
  return result;
}

}  // namespace

JobWeights weigh_jobs(const BuildPlan& plan, const Durations& durations) {
  const auto planned = plan.planned_elements();
  JobWeights all{std::vector<std::uint32_t>(plan.graph().graph.size(), 0),
                 recorded_of(plan, planned, durations)};
  const auto by_kind = all.recorded.empty() ? ByKind() : medians(plan, planned, all.recorded);
  const auto usual = durations.usual();
  for (const auto id : planned) {
    auto& weight = all.weights[index(id)];
    if (const auto known = all.recorded.empty() ? 0 : all.recorded[index(id)]) {
      weight = known;
    } else if (runs_nothing(plan.element(id).kind.text)) {
      weight = kRunsNothing;
    } else if (usual == 0) {
      weight = guess(plan, id);
    } else {
      const auto same = by_kind.find(plan.element(id).kind.text);
      weight = same == by_kind.end() ? usual : same->second;
    }
  }
  return all;
}

}  // namespace weir
