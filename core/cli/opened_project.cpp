#include "core/cli/opened_project.h"

#include <fmt/format.h>

#include "core/build/resolve_placement.h"
#include "core/cli/build_snapshot.h"
#include "core/cli/run_folder.h"
#include "core/cli/store_folder.h"
#include "core/cli/tell.h"
#include "core/project/cache_folder.h"

namespace weir::cli {

namespace {

// Dependencies would hide the tools of the host, or have no place to be mounted at.
void check_host_prefix(const Project& project, Diagnostics& diagnostics) {
  constexpr std::string_view kHost[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc"};
  const auto first = std::string_view(project.prefix).substr(1, project.prefix.find('/', 1) - 1);
  const bool taken = std::find(std::begin(kHost), std::end(kHost), first) != std::end(kHost);
  if (!taken || project.prefix == "/usr/local") return;
  diagnostics.error(
      project.prefix_place, fmt::format("the prefix {} is the host's own", weir::in_quotes(project.prefix)),
      "with the host's root it can be /weir, /opt/..., /usr/local; with root = \"staged\" anything");
}

// Files of the project that are links to elsewhere.
tl::expected<void, int> require_outside_files(const LoadedProject& loaded,
                                              const std::vector<TextSetting>& command_line) {
  const auto settings = load_settings({nullptr, command_line, {}}, {});
  if (!settings.ok()) return tl::unexpected(tell(settings.diagnostics, settings.files));
  auto trust = examine_trust(loaded, settings.settings);
  return require_trust(trust, loaded, settings.settings, TrustStage::open, Asking::yes);
}

// A kind of a plugin may read other paths than the configuration of its source says. They are not known
// before the plugin is loaded, so they cannot be allowed one by one.
void check_content(OpenedProject& opened) {
  if (opened.trust.of_all) return;
  const auto items = trust_items_of_kinds(opened.loaded, opened.resolved);
  if (items.empty() || trusts_all(opened.values(), opened.project().root)) return;
  for (const auto& item : items)
    opened.loaded.diagnostics.error(
        item.place, fmt::format("the source leads out of the project, to {}", weir::in_quotes(item.subject)),
        "--trust or WEIR_TRUST=1 allows it for one command, `folders` of [trust] in "
        "your settings for good");
}

}  // namespace

void OpenedProject::find_folder() {
  folder_ = project_folder(values().cache_dir.value, project().name, project().root);
}

Failures OpenedProject::failures() const { return Failures(folder() + "/failures"); }

std::string OpenedProject::bare_folder(const std::string& element) const {
  return folder() + "/bare/" + escaped(element);
}

Opened open_project(const std::string& directory, std::vector<TextSetting> command_line,
                    const std::vector<std::string>& queues, LoadBy by, TrustStage stage) {
  if (by == LoadBy::snapshot)
    if (auto known = load_from_snapshot(directory, command_line))
      return open_loaded(std::move(*known), std::move(command_line), queues, stage, Asking::yes);
  const LoadOptions options{
      .directory = directory,
      .lock_errors = by == LoadBy::files_to_track ? LockErrors::warnings : LockErrors::errors};
  // The rest of what it wants is in files that may not be read yet.
  tl::expected<void, int> allowed;
  auto loaded = load_project(options, [&](const LoadedProject& so_far) {
    allowed = require_outside_files(so_far, command_line);
    return allowed.has_value();
  });
  if (!allowed) return tl::unexpected(allowed.error());
  return open_loaded(std::move(loaded), std::move(command_line), queues, stage, Asking::yes);
}

Opened open_loaded(LoadedProject from, std::vector<TextSetting> command_line,
                   const std::vector<std::string>& queues, TrustStage stage, Asking asking) {
  auto opened = std::make_unique<OpenedProject>();
  opened->loaded = std::move(from);
  auto& loaded = opened->loaded;
  opened->settings = load_settings({&loaded.project, std::move(command_line), {}}, loaded.files);
  if (!opened->settings.ok())
    return tl::unexpected(tell(opened->settings.diagnostics, opened->settings.files));
  opened->trust = examine_trust(loaded, opened->values());
  // Nobody is asked to trust what cannot be used.
  if (!loaded.ok() && !opened->trust.allows(TrustStage::open))
    return tl::unexpected(tell(loaded.diagnostics, loaded.files));
  if (loaded.ok())
    if (const auto allowed = require_trust(opened->trust, loaded, opened->values(), stage, asking); !allowed)
      return tl::unexpected(allowed.error());
  opened->kinds = Kinds(plugin_path(plugin_folders(loaded.project), loaded.project.root),
                        trusted_libraries(opened->trust));
  load_kinds(loaded.project, opened->kinds, loaded.diagnostics);
  auto resolved_queues = resolve_queues(loaded.project, queues, opened->kinds, loaded.diagnostics);
  if (!resolved_queues) return tl::unexpected(tell(resolved_queues.error()));
  opened->queues = std::move(*resolved_queues);
  // What is not configured is weir's own, and not worth loading to look at it.
  if (is_placement_given(loaded.project))
    if (const auto placement = resolve_placement(loaded.project, opened->kinds, loaded.diagnostics);
        !placement)
      return tl::unexpected(tell(placement.error()));
  if (loaded.ok()) {
    auto resolved = resolve_elements(loaded, opened->kinds);
    if (!resolved) return tl::unexpected(tell(resolved.error()));
    opened->resolved = std::move(*resolved);
    check_content(*opened);
  }
  if (!loaded.ok()) {
    loaded.diagnostics.sort();
    return tl::unexpected(tell(loaded.diagnostics, loaded.files));
  }
  opened->unasked_remotes = drop_untrusted_remotes(opened->trust, opened->settings.settings);
  Diagnostics own;
  if (opened->values().sandbox.value == SandboxRoot::host) check_host_prefix(loaded.project, own);
  if (own.has_errors()) return tl::unexpected(tell(own, loaded.files));
  if (loaded.lock_errors == LockErrors::warnings && loaded.diagnostics.warnings() > 0)
    tell(loaded.diagnostics, loaded.files);
  opened->find_folder();
  return opened;
}

Result<OpenedStore> open_store_to_look(const Settings& settings) {
  if (auto made = make_cache_folder(settings); !made) return tl::unexpected(made.error());
  auto store = store::Store::open(store_folder(settings));
  if (!store) return tl::unexpected(store.error());
  OpenedStore opened;
  opened.store = std::move(*store);
  return opened;
}

Result<OpenedStore> open_store(const Settings& settings, std::string_view purpose) {
  auto opened = open_store_to_look(settings);
  if (!opened) return opened;
  auto pin = opened->store->pin(purpose);
  if (!pin) return tl::unexpected(pin.error());
  opened->pin = std::move(*pin);
  return opened;
}

Diagnostics unpinned(const OpenedProject& opened, const ProjectGraph& graph,
                     std::span<const ElementId> elements) {
  Diagnostics diagnostics;
  for (const auto id : elements) {
    const auto& element = graph.element(opened.project(), id);
    const auto& resolved = opened.resolved[index(graph.elements[index(id)])];
    for (std::size_t i = 0; i < element.sources.size(); ++i) {
      const auto& source = element.sources[i];
      if (resolved.sources[i].of_project() || !source.ref.empty()) continue;
      diagnostics.error(source.place,
                        fmt::format("the {} source of element {} has no ref yet", source.kind.text,
                                    weir::in_quotes(element.name)),
                        fmt::format("run `weir track {}`, or build with --track", element.name));
    }
  }
  diagnostics.sort();
  return diagnostics;
}

std::optional<int> tell_unpinned(const OpenedProject& opened, const PlannedTargets& planned,
                                 std::span<const ElementId> elements) {
  const auto diagnostics = unpinned(opened, planned.graph, elements);
  if (!diagnostics.has_errors()) return std::nullopt;
  return tell(diagnostics, opened.loaded.files);
}

tl::expected<std::unique_ptr<PlannedTargets>, int> plan_targets(const OpenedProject& opened,
                                                                store::Store& store,
                                                                std::span<const std::string> targets,
                                                                GraphOf graph_of) {
  auto planned = std::make_unique<PlannedTargets>();
  auto selected = select_targets(opened.project(), targets);
  if (!selected) return tl::unexpected(tell(selected.error()));
  planned->targets = std::move(*selected);
  const bool whole = graph_of == GraphOf::project;
  planned->graph = whole ? make_whole_graph(opened.project(), planned->targets)
                         : make_graph(opened.project(), planned->targets);
  planned->host = std::make_unique<Host>(opened.values().cache_dir.value);
  Diagnostics diagnostics;
  const BuildPlanInput input{opened.project(),
                             planned->graph,
                             opened.resolved,
                             opened.values().sandbox.value,
                             opened.values().cache_dir.value,
                             [&opened](const std::string& element) { return opened.bare_folder(element); }};
  auto plan = BuildPlan::make(input, planned->graph.chosen, store, *planned->host, diagnostics);
  if (!plan) return tl::unexpected(tell(plan.error()));
  if (diagnostics.has_errors()) {
    diagnostics.sort();
    return tl::unexpected(tell(diagnostics, opened.loaded.files));
  }
  planned->plan.emplace(std::move(*plan));
  return planned;
}

}  // namespace weir::cli
