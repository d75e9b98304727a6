#include "core/cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "core/base/log.h"
#include "core/cli/exit_codes.h"
#include "core/cli/folder_build.h"
#include "core/cli/needs.h"
#include "core/cli/run_folder.h"
#include "core/cli/signals.h"
#include "core/exec/hook_command.h"
#include "core/exec/local_executor.h"
#include "core/project/diagnostic_text.h"
#include "core/project/targets.h"
#include "core/report/json_lines.h"
#include "core/report/plain.h"
#include "core/scheduler/asio_driver.h"
#include "core/scheduler/hook_runner.h"
#include "core/scheduler/scheduler.h"
#include "queues/no_remotes.h"
#include "queues/pipeline.h"
#include "resources/arenas.h"
#include "resources/probe.h"

namespace weir::cli {

namespace {

constexpr auto kHookTimeout = std::chrono::seconds(30);

int tell(const Error& error) {
  fmt::print(stderr, "weir: {}\n", error.message);
  if (!error.remedy.empty()) fmt::print(stderr, "  {}\n", error.remedy);
  return exit_code_of(error);
}

int tell(const Diagnostics& diagnostics, const SourceFiles& files) {
  fmt::print(stderr, "{}", to_text(diagnostics, files));
  return kUsage;
}

void add_hooks(HookRunner& runner, const Hooks& hooks) {
  const auto hook_of = [](const std::string& command) {
    return [command](const std::string& event) {
      if (const auto status = run_hook_command(command, event, kHookTimeout); !status) log_warn("{}", status.error().message);
    };
  };
  for (const auto& command : hooks.on_start) runner.on_start(hook_of(command));
  for (const auto& command : hooks.on_complete) runner.on_complete(hook_of(command));
  for (const auto& command : hooks.on_run_end) runner.on_run_end(hook_of(command));
}

LocalExecutorOptions executor_options(const FolderBuild& build, const RunFolder& folder) {
  LocalExecutorOptions options;
  options.directory = [&build](JobId, const JobSpec& spec, std::string_view root) { return build.directory(spec, root); };
  options.stage = [&build](JobId, const JobSpec& spec) { return build.stage(spec); };
  options.log_directory = folder.logs();
  return options;
}

PlainReport::Options report_options(const RunRequest& request, const RunFolder& folder) {
  using Volume = PlainReport::Volume;
  return {request.quiet ? Volume::quiet : request.verbose ? Volume::verbose : Volume::normal, folder.logs()};
}

void announce(Emitter& events, const RunRequest& request, const RunFolder& folder, const Machine& machine) {
  const std::vector<std::string_view> words(request.arguments.begin(), request.arguments.end());
  events.emit([&] { return event::RunStart{folder.number(), words, machine.cores}; });
}

// Everything a run needs but its observers, built in order of dependence.
int run(const RunRequest& request, const Project& project, const Settings& settings, const ProjectGraph& graph,
        std::span<const ElementIndex> targets) {
  auto folder = RunFolder::make(settings.cache_dir.value, project.name, project.root);
  if (!folder) return tell(folder.error());
  const auto machine = probe_machine();
  Ledger ledger;
  Lanes lanes;
  auto needs = make_needs(project, settings, graph, machine, ledger, lanes);
  if (!needs) return tell(needs.error());

  FolderBuild build(project, graph, *folder, settings.sandbox.value);
  NoRemotes remotes;
  constexpr std::string_view kQueues[] = {"pull", "fetch", "build", "push"};
  auto row = make_row(kQueues, {build, build, remotes, needs->download, needs->build, needs->upload});
  if (!row) return tell(row.error());

  auto kept = JsonLines::open(folder->events());
  if (!kept) return tell(kept.error());
  std::optional<JsonLines> asked;
  if (request.events) {
    auto opened = JsonLines::open(*request.events);
    if (!opened) return tell(opened.error());
    asked = std::move(*opened);
  }
  PlainReport report(stderr, report_options(request, *folder));
  HookRunner hooks;
  add_hooks(hooks, project.hooks);

  SteadyClock clock;
  Emitter events(clock);
  events.add(*kept);
  if (asked) events.add(*asked);
  events.add(report);
  events.add(hooks);
  announce(events, request, *folder, machine);

  boost::asio::io_context loop(1);
  Arenas arenas(machine.cores);
  LocalExecutor executor(loop, arenas, executor_options(build, *folder));
  SchedulerOptions options;
  options.on_error = settings.on_error.value;
  options.breaker = project.breaker;
  options.requestor = settings.requestor.value;
  Scheduler scheduler({graph.graph, *row, ledger, lanes, executor, clock, events}, options);
  Signals signals(loop, scheduler);
  AsioDriver driver(loop, scheduler);
  std::vector<ElementId> wanted;
  for (const auto target : targets) wanted.push_back(graph.ids[index(target)]);
  scheduler.start(wanted);
  driver.run();
  for (const auto target : targets)
    if (scheduler.summary().exit == kDone && !request.quiet)
      fmt::print("{}\t{}\n", project[target].name, folder->work(project[target].name) + "/install" + project.prefix);
  return scheduler.summary().exit;
}

}  // namespace

int run_build(const RunRequest& request) {
  LoadOptions load;
  load.directory = request.directory;
  load.known.element_kinds = {"script"};
  load.known.source_kinds = {"local"};
  auto loaded = load_project(load);
  if (loaded.ok()) check_scripts(loaded.project, loaded.diagnostics);
  if (!loaded.ok()) return tell(loaded.diagnostics, loaded.files);
  const auto settings = load_settings({&loaded.project, request.settings, {}}, loaded.files);
  if (!settings.ok()) return tell(settings.diagnostics, settings.files);
  const auto targets = select_targets(loaded.project, request.targets);
  if (!targets) return tell(targets.error());
  const auto graph = make_graph(loaded.project, *targets);
  return run(request, loaded.project, settings.settings, graph, *targets);
}

}  // namespace weir::cli
