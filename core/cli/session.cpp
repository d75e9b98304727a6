#include "core/cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "core/base/log.h"
#include "core/base/print.h"
#include "core/build/job_folders.h"
#include "core/build/job_label.h"
#include "core/build/network_environment.h"
#include "core/build/project_sources.h"
#include "core/build/source_folders.h"
#include "core/build/store_build.h"
#include "core/cli/exit_codes.h"
#include "core/cli/needs.h"
#include "core/cli/opened_project.h"
#include "core/cli/outstanding.h"
#include "core/cli/plugin_queues.h"
#include "core/cli/run_folder.h"
#include "core/cli/signals.h"
#include "core/cli/store_folder.h"
#include "core/cli/tell.h"
#include "core/exec/hook_command.h"
#include "core/exec/local_executor.h"
#include "core/project/targets.h"
#include "core/report/json_lines.h"
#include "core/report/plain.h"
#include "core/scheduler/asio_driver.h"
#include "core/scheduler/hook_runner.h"
#include "core/scheduler/scheduler.h"
#include "queues/build_queue.h"
#include "queues/no_remotes.h"
#include "queues/pipeline.h"
#include "queues/track_queue.h"
#include "resources/arenas.h"
#include "resources/probe.h"

namespace weir::cli {

namespace {

constexpr std::string_view kTestQueue = "test";
constexpr auto kHookTimeout = std::chrono::seconds(30);

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

// Builds, and jobs of plugins, have the folders of an element; those of sources have none of it.
bool brings_sources(const JobSpec& spec) {
  return queue_of(spec) == TrackQueue::kName || queue_of(spec) == FetchQueue::kName;
}

LocalExecutorOptions executor_options(JobFolders& builds, SourceFolders& sources, const RunFolder& run) {
  LocalExecutorOptions options;
  options.directory = [&](JobId, const JobSpec& spec, std::string_view root) {
    return brings_sources(spec) ? sources.directory(spec, root) : builds.directory(spec, root);
  };
  options.stage = [&](JobId job, const JobSpec& spec) { return brings_sources(spec) ? sources.stage(spec) : builds.stage(job, spec); };
  options.collect = [&](JobId job, const JobSpec& spec, const std::string& log) {
    return brings_sources(spec) ? sources.collect(spec, log) : builds.collect(job, spec, log);
  };
  options.log_directory = run.logs();
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

// What could not be kept is no success, whatever the jobs said.
int kept_exit(const Status& kept, int exit) {
  if (kept) return exit;
  const int told = tell(kept.error());
  return exit == kDone ? told : exit;
}

int report_differences(const StoreBuild& build, const BuildPlan& plan) {
  for (const auto& difference : build.differences())
    weir::print(stderr, "weir: {} is not reproducible: {} became {}\n", plan.name(difference.element),
               difference.before.hex().substr(0, 16), difference.now.hex().substr(0, 16));
  return build.differences().empty() ? kDone : kJobFailed;
}

std::vector<ElementId> ids_of(const PlannedTargets& planned) {
  std::vector<ElementId> ids;
  for (const auto target : planned.targets) ids.push_back(planned.graph.ids[index(target)]);
  return ids;
}

// A build finds out by itself which dependencies it needs; to track and to fetch is wanted of each.
std::vector<ElementId> wanted_of(const RunRequest& request, const Project& project, const PlannedTargets& planned) {
  if (request.work == Work::build || request.work == Work::test) return ids_of(planned);
  std::vector<ElementId> ids;
  for (const auto element : make_graph(project, planned.targets, request.scope).elements)
    ids.push_back(planned.graph.ids[index(element)]);
  return ids;
}

// A build goes the row of the project; a test goes it up to the tests, which stand behind `build` if the row has none.
std::vector<std::string_view> queues_of(const RunRequest& request, const Project& project) {
  if (request.work == Work::track) return {"track"};
  if (request.work == Work::fetch) return {"fetch"};
  std::vector<std::string_view> row;
  if (request.track) row.push_back(TrackQueue::kName);
  for (const auto& queue : project.queues)
    if (queue.text != TrackQueue::kName) row.push_back(queue.text);
  if (request.work != Work::test) return row;
  const auto test = std::find(row.begin(), row.end(), kTestQueue);
  if (test != row.end()) {
    row.erase(test + 1, row.end());
  } else {
    row.erase(std::find(row.begin(), row.end(), BuildQueue::kName) + 1, row.end());
    row.push_back(kTestQueue);
  }
  return row;
}

// Everything a run needs but its observers, built in order of dependence.
int run(const RunRequest& request, const OpenedProject& opened, store::Store& store, PlannedTargets& planned,
        StoreBuild::Mode mode) {
  const auto& project = opened.project();
  const auto& settings = opened.values();
  const auto& graph = planned.graph;
  auto folder = RunFolder::make(settings.cache_dir.value, project.name, project.root);
  if (!folder) return tell(folder.error());
  const auto machine = probe_machine();
  Ledger ledger;
  Lanes lanes;
  auto needs = make_needs(project, settings, graph, machine, ledger, lanes,
                          [&](ElementId element) { return mirrors_of(*planned.plan, element); },
                          {opened.queues, [&](const ResolvedQueue& queue, ElementId element) {
                             return queue.kind->needs({queue.config, element_document(*planned.plan, element)});
                           }});
  if (!needs) return tell(needs.error());

  boost::asio::io_context loop(1);
  Arenas arenas(machine.cores);
  Scheduler* told_of_news = nullptr;
  auto failures = opened.failures();
  const LoopDoors doors{[&](std::function<void()> call) { boost::asio::post(loop, std::move(call)); },
                        [&](ElementId element) { told_of_news->door().post(input::News{element}); }};
  ProjectSources sources(*planned.plan, store, arenas, doors, network_environment());
  StoreBuild build(*planned.plan, store, failures, arenas, doors, mode);
  BuiltNotes notes(folder->number());
  build.on_seen([&](ElementId element, const SeenArtifact& seen) {
    const auto& own = planned.plan->element(element);
    notes.add(own.name, seen, variables_of(project, own));
  });
  const auto work = [&](const std::string& element) { return folder->work(element); };
  JobFolders folders(store, {work, [&](const std::string& element) { return opened.bare_folder(element); }, project.prefix,
                             [&](const std::string& element) { folder->forget_failed(element); }});
  SourceFolders source_folders(store, work, source_cache(settings),
                               [&](const std::string& element, std::size_t output, const TrackAnswer& answer) {
                                 return sources.ref_in(element, output, answer);
                               });
  NoRemotes remotes;
  const auto rule = request.work == Work::fetch ? FetchQueue::Rule::even_if_cached : FetchQueue::Rule::only_to_build;
  PluginQueues plugin_queues({*planned.plan, build, store, *planned.host, arenas, doors}, opened.queues, needs->plugin_queues, build);
  const auto make_plugin_queue = [&](std::string_view name, PluginQueue::Place place) { return plugin_queues.make(name, place); };
  auto row = make_row(queues_of(request, project), {sources, build, remotes, needs->download, needs->build, needs->upload, rule,
                                                    make_plugin_queue, &plugin_queues});
  if (!row) return tell(row.error());

  auto kept = JsonLines::open(folder->events());
  if (!kept) return tell(kept.error());
  std::optional<JsonLines> asked;
  if (request.events) {
    auto file = JsonLines::open(*request.events);
    if (!file) return tell(file.error());
    asked = std::move(*file);
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

  LocalExecutor executor(loop, arenas, executor_options(folders, source_folders, *folder));
  SchedulerOptions options;
  // One source that cannot be had says nothing of the others.
  const bool of_sources = request.work == Work::track || request.work == Work::fetch;
  options.on_error = of_sources ? OnError::go_on : settings.on_error.value;
  options.breaker = project.breaker;
  options.requestor = settings.requestor.value;
  Scheduler scheduler({graph.graph, *row, ledger, lanes, executor, clock, events}, options);
  told_of_news = &scheduler;
  Signals signals(loop, scheduler);
  AsioDriver driver(loop, scheduler);
  const auto wanted = wanted_of(request, project, planned);
  if (request.track || request.work == Work::track) {
    planned.plan->forget_keys();
    for (const auto element : request.work == Work::track ? wanted : all_of(graph)) sources.track(element);
  }
  if (request.work == Work::test) plugin_queues.only(wanted);
  if (request.force && request.work == Work::test) plugin_queues.force();
  if (request.force && request.work == Work::build)
    for (const auto target : wanted) build.force(target);
  if (request.retry_failed) build.retry_failed();
  scheduler.start(wanted);
  driver.run();
  const int exit = kept_exit(build.finish(), kept_exit(sources.finish(), kept_exit(plugin_queues.finish(), scheduler.summary().exit)));
  // What cannot be written costs an answer of `weir why`, nothing else.
  if (const auto saved = notes.save(opened.folder()); !saved) log_warn("{}", saved.error().message);
  if (exit != kDone) return exit;
  return report_differences(build, *planned.plan);
}

int tell_outstanding(const RunRequest& request, const OpenedProject& opened, store::Store& store, const PlannedTargets& planned) {
  const auto all = survey(*planned.plan, store, opened.failures());
  if (!all) return tell(all.error());
  const auto missing = outstanding(*planned.plan, *all, ids_of(planned));
  if (!request.quiet)
    for (const auto element : missing) weir::print("{}\n", planned.plan->name(element));
  return request.check && !missing.empty() ? kWorkLeft : kDone;
}

// Never takes what this run needs: that is pinned.
void respect_quota(store::Store& store, std::uint64_t quota) {
  if (quota == 0) return;
  store::GcRequest request;
  request.quota = quota;
  if (const auto done = store.gc(request); !done) log_warn("making room in the store: {}", done.error().message);
}

}  // namespace

int run_pipeline(const RunRequest& request) {
  if (request.track && (request.dry_run || request.check))
    return tell(Error{Reason::usage, "what --track would find is not known before it is done", "run weir track first"});
  const std::vector<std::string> more_queues(request.work == Work::test ? 1 : 0, std::string(kTestQueue));
  const auto opened = open_project(request.directory, request.settings, more_queues);
  if (!opened) return opened.error();
  auto store = open_store((*opened)->values(), "run of " + (*opened)->project().name);
  if (!store) return tell(store.error());
  const auto planned = plan_targets(**opened, *store->store, request.targets);
  if (!planned) return planned.error();
  if ((request.track || request.work == Work::track) && ::access((*opened)->project().root.c_str(), W_OK) != 0)
    return tell(fail_errno("weir.lock cannot be written to " + (*opened)->project().root).value());
  if (request.work != Work::track && !request.track) {
    const auto elements = request.work == Work::fetch ? wanted_of(request, (*opened)->project(), **planned) : all_of((*planned)->graph);
    if (const auto exit = tell_unpinned(**opened, **planned, elements)) return *exit;
  }
  if (request.dry_run || request.check) return tell_outstanding(request, **opened, *store->store, **planned);
  int exit = run(request, **opened, *store->store, **planned, StoreBuild::Mode::usual);
  if (exit == kDone && request.rebuild_check)
    exit = run(request, **opened, *store->store, **planned, StoreBuild::Mode::check);
  respect_quota(*store->store, (*opened)->values().cache_quota.value);
  return exit;
}

}  // namespace weir::cli
