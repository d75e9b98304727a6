#include "core/cli/part_run.h"

#include <unistd.h>

#include <algorithm>

#include "core/base/log.h"

namespace weir::cli {

namespace {

using snapshot::ElementRow;
using snapshot::Patch;
using snapshot::Section;

// More than that, and looking at everything is as fast.
bool is_few(std::size_t changed, std::size_t all) { return changed <= std::max<std::size_t>(64, all / 8); }

std::optional<PlannedSources> known_sources(const snapshot::Snapshot& snapshot, const ElementRow& row,
                                            const Element& element, const ResolvedElement& resolved) {
  const auto trees = snapshot.trees(row);
  if (trees.size() != element.sources.size()) return std::nullopt;
  PlannedSources all;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (resolved.sources[i].of_project() && !trees[i].known) return std::nullopt;
    all.push_back({element.sources[i].ref, trees[i].known ? std::optional(trees[i].tree) : std::nullopt});
  }
  return all;
}

bool same_trees(std::span<const snapshot::SourceTree> before, const PlannedSources& now) {
  return std::equal(before.begin(), before.end(), now.begin(), now.end(),
                    [](const auto& tree, const PlannedSource& source) {
                      return source.path.empty() ? tree.known == 0 : tree.known && source.tree == tree.tree;
                    });
}

// The watches of the sources of some rows: they stand together.
std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> watches_of(
    const snapshot::Snapshot& snapshot, std::span<const std::uint32_t> rows) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> found;
  const auto watches = snapshot.watches();
  for (std::uint32_t i = 0; i < watches.size(); ++i) {
    if (watches[i].kind != snapshot::WatchKind::source ||
        !std::binary_search(rows.begin(), rows.end(), watches[i].owner))
      continue;
    const auto at = found.try_emplace(watches[i].owner, i, i).first;
    at->second.second = i + 1;
  }
  return found;
}

// What was looked at now, in the places of what was looked at then. False: it is something else.
bool patch_watches(const FoundSnapshot& found, std::pair<std::uint32_t, std::uint32_t> range,
                   const PlannedSources& sources, std::vector<Patch>& patches) {
  const auto& root = found.frame->project().root;
  auto at = range.first;
  for (const auto& source : sources)
    for (const auto& seen : source.seen) {
      if (at == range.second) return false;
      const auto path = seen.path.empty() ? source.path : source.path + "/" + seen.path;
      const std::string_view kept = found.snapshot.path_of(found.snapshot.watches()[at]);
      if (path != kept && path != root + "/" + std::string(kept)) return false;
      auto patch = snapshot::patch_of(found.snapshot, at, seen.stamp, found.taken_ns);
      if (patch.bytes != snapshot::bytes_of(found.snapshot.watches()[at]))
        patches.push_back(std::move(patch));
      ++at;
    }
  return at == range.second;
}

std::optional<std::vector<PlannedSources>> import(const OpenedProject& opened, store::Store& store) {
  const auto graph = make_whole_graph(opened.project(), {});
  std::vector<ElementId> ids;
  for (std::size_t i = 0; i < opened.project().elements.size(); ++i) ids.push_back(graph.ids[i]);
  Diagnostics diagnostics;
  auto sources = import_sources(
      store, {opened.project(), graph, opened.resolved, opened.values().cache_dir.value}, ids, diagnostics);
  if (!sources || diagnostics.has_errors()) return std::nullopt;
  return std::move(*sources);
}

KnownElement known_of(const FoundSnapshot& found, const OpenedPart& part, ElementId id) {
  const auto& member = part.member(id);
  const auto& row = found.snapshot.elements()[member.row];
  const auto in_part = part.planned->graph.elements[index(id)];
  KnownElement known;
  if (const auto at = found.imported.find(member.row); at != found.imported.end()) known.sources = at->second;
  else
    known.sources = known_sources(found.snapshot, row, part.opened->project()[in_part],
                                  part.opened->resolved[index(in_part)]);
  if (!member.reached) known.recipe_key = row.recipe_key;
  return known;
}

bool plan(const FoundSnapshot& found, OpenedPart& part, store::Store& store) {
  auto& planned = *part.planned;
  const auto& opened = *part.opened;
  for (std::uint32_t i = 0; i < part.part.members.size(); ++i)
    if (found.snapshot.elements()[part.part.members[i].row].flags & ElementRow::wanted)
      planned.targets.push_back(ElementIndex{i});
  planned.graph = make_whole_graph(opened.project(), planned.targets);
  planned.host = std::make_unique<Host>(opened.values().cache_dir.value);
  const BuildPlanInput input{opened.project(),
                             planned.graph,
                             opened.resolved,
                             opened.values().sandbox.value,
                             opened.values().cache_dir.value,
                             [&opened](const std::string& element) { return opened.bare_folder(element); },
                             [&found, &part](ElementId id) { return known_of(found, part, id); }};
  Diagnostics diagnostics;
  auto made = BuildPlan::make(input, planned.graph.chosen, store, *planned.host, diagnostics);
  if (!made || diagnostics.has_errors()) return false;
  planned.plan.emplace(std::move(*made));
  return true;
}

void count_rest(const FoundSnapshot& found, OpenedPart& part) {
  const auto& counts = found.snapshot.counts();
  const auto& graph = part.planned->graph;
  std::uint64_t edges = 0;
  for (std::uint32_t i = 0; i < graph.chosen; ++i)
    edges += graph.graph.build_dependencies(ElementId{i}).size() +
             graph.graph.runtime_dependencies(ElementId{i}).size();
  part.unchanged = {counts.planned - std::min<std::uint64_t>(counts.planned, graph.chosen),
                    counts.edges - std::min(counts.edges, edges), part.part.wanted_outside};
}

}  // namespace

bool settle_sources(const RunRequest& request, FoundSnapshot& found, store::Store& store) {
  auto& rows = found.changes.elements;
  if (rows.empty()) return true;
  if (!found.snapshot.open_elements() || !is_few(rows.size(), found.snapshot.elements().size())) return false;
  auto loaded = snapshot::load_part(found.snapshot, snapshot::part_of(rows), found.shown);
  if (!loaded) return false;
  const auto opened = open_loaded(std::move(*loaded), request.settings);
  if (!opened) return false;
  auto sources = import(**opened, store);
  if (!sources) return false;
  const auto ranges = watches_of(found.snapshot, rows);
  std::vector<std::uint32_t> changed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& now = (*sources)[i];
    const auto row = rows[i];
    if (!patch_watches(found, ranges.at(row), now, found.changes.settled)) found.outgrown = true;
    if (same_trees(found.snapshot.trees(found.snapshot.elements()[row]), now)) continue;
    changed.push_back(row);
    found.imported.emplace(row, std::move(now));
  }
  rows = std::move(changed);
  return true;
}

std::optional<OpenedPart> open_part(const RunRequest& request, FoundSnapshot& found, store::Store& store) {
  if (!found.snapshot.open_elements()) return std::nullopt;
  auto members = snapshot::find_part(found.snapshot, found.changes.elements);
  if (!members) return std::nullopt;
  auto loaded = snapshot::load_part(found.snapshot, *members, found.shown);
  if (!loaded) return std::nullopt;
  auto opened = open_loaded(std::move(*loaded), request.settings);
  if (!opened) return std::nullopt;
  OpenedPart part{std::move(*opened), std::make_unique<PlannedTargets>(), std::move(*members), {}};
  part.opened->is_part = true;
  if (!plan(found, part, store)) return std::nullopt;
  count_rest(found, part);
  return part;
}

void update_snapshot(FoundSnapshot& found, const OpenedPart& part, const OutcomeOf& outcome) {
  auto& patches = found.changes.settled;
  auto counts = found.snapshot.counts();
  const auto& plan = *part.planned->plan;
  for (std::uint32_t i = 0; i < part.planned->graph.chosen; ++i) {
    const ElementId id{i};
    const auto& member = part.member(id);
    if (!member.reached) continue;
    auto row = found.snapshot.elements()[member.row];
    if (!plan.has_key(id)) found.outgrown = true;
    else row.recipe_key = plan.recipe_key(id);
    const auto now = outcome(id);
    const bool was_missing = (row.flags & ElementRow::wanted) && !(row.flags & ElementRow::there);
    row.flags = (row.flags & ~unsigned{ElementRow::there}) | (now.there ? unsigned{ElementRow::there} : 0U);
    const bool is_missing = (row.flags & ElementRow::wanted) && !now.there;
    counts.missing += static_cast<std::uint64_t>(is_missing) - static_cast<std::uint64_t>(was_missing);
    row.output = now.output;
    row.kept_as = now.kept_as;
    patches.push_back({Section::elements, member.row * sizeof row, std::string(snapshot::bytes_of(row))});
    if (const auto at = found.imported.find(member.row); at != found.imported.end())
      for (std::size_t source = 0; source < at->second.size(); ++source) {
        const auto& own = at->second[source];
        const snapshot::SourceTree tree{own.tree.value_or(store::Digest{}), !own.path.empty() && own.tree};
        patches.push_back(
            {Section::trees, (row.trees.at + source) * sizeof tree, std::string(snapshot::bytes_of(tree))});
      }
  }
  patches.push_back({Section::counts, 0, std::string(snapshot::bytes_of(counts))});
  const auto& path = found.snapshot.path();
  if (!found.outgrown && found.snapshot.file().patch(path, patches)) return;
  log_debug("the snapshot has outgrown itself");
  ::unlink(path.c_str());
}

}  // namespace weir::cli
