#include "core/cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>

#include "core/base/json_writer.h"
#include "core/base/log.h"
#include "core/base/print.h"
#include "core/build/durations.h"
#include "core/build/job_weights.h"
#include "core/build/memory_peaks.h"
#include "core/build/missing_tools.h"
#include "core/cli/exhaustion.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_project.h"
#include "core/cli/outer_make.h"
#include "core/cli/outstanding.h"
#include "core/cli/part_run.h"
#include "core/cli/person.h"
#include "core/cli/prompt.h"
#include "core/cli/run_folder.h"
#include "core/cli/run_needs.h"
#include "core/cli/run_observers.h"
#include "core/cli/run_orders.h"
#include "core/cli/run_placement.h"
#include "core/cli/run_remotes.h"
#include "core/cli/run_row.h"
#include "core/cli/run_work.h"
#include "core/cli/signals.h"
#include "core/cli/store_folder.h"
#include "core/cli/submissions.h"
#include "core/cli/tell.h"
#include "core/cli/tell_run.h"
#include "core/cli/unchanged_run.h"
#include "core/control/control_server.h"
#include "core/exec/local_executor.h"
#include "core/remote/transfer_executor.h"
#include "core/scheduler/asio_driver.h"
#include "core/scheduler/scheduler.h"
#include "resources/arenas.h"
#include "resources/memory_pressure.h"
#include "resources/probe.h"

namespace weir::cli {

namespace {

// Whoever said what to do about failures when the run was started is not asked again.
bool is_decided(const Setting<OnError>& on_error) {
  return on_error.origin.layer == Origin::Layer::command_line ||
         on_error.origin.layer == Origin::Layer::environment;
}

// Beside those of the arenas: of the store, of hooks, of remotes, of plugins.
constexpr unsigned kOtherThreads = 4;

bool builds(Work work) { return work == Work::build || work == Work::test; }

SchedulerOptions scheduler_options(const RunRequest& request, const OpenedProject& opened, bool person) {
  SchedulerOptions options;
  // One source or artifact that cannot be had says nothing of the others.
  const bool alone = !builds(request.work);
  options.on_error = alone ? OnError::go_on : opened.values().on_error.value;
  options.breaker = opened.project().breaker;
  options.requestor = opened.values().requestor.value;
  options.ask = !alone && person && !is_decided(opened.values().on_error);
  return options;
}

// Jobs that track and fetch run where the loop runs.
bool is_placed(const RunRequest& request, const Project& project) {
  return builds(request.work) && has_placement(project);
}

void tell_changes(Emitter& events, std::string_view element, std::uint64_t since,
                  std::span<const std::string> changes) {
  const std::vector<std::string_view> lines(changes.begin(), changes.end());
  events.emit([&] { return event::ElementChanges{element, since, lines}; });
}

bool moves_artifacts(Work work) { return work != Work::track && work != Work::fetch; }

// What a run says of its remotes: an event each time, a warning the first time.
void tell_news(Emitter& events, const RemoteLine::News& news) {
  events.emit([&] { return event::RemoteState{news.remote, to_string(news.state), news.reason}; });
  if (!news.first) return;
  const auto words = news_text(news);
  events.emit([&] { return event::Diagnostic{"warning", words}; });
}

void emit_withheld_tokens(Emitter& events, const RunRequest& request, OpenedProject& opened) {
  if (!moves_artifacts(request.work)) return;
  for (const auto& withheld : withheld_tokens(opened.remote_context())) {
    const auto words = to_text(withheld);
    events.emit([&] { return event::Diagnostic{"warning", words}; });
  }
}

void tell_transfer(Emitter& events, const TransferReport& report) {
  events.emit([&] {
    return event::RemoteTransfer{index(report.job), report.remote, report.push ? "push" : "pull",
                                 report.moved.blobs, report.moved.bytes};
  });
}

Result<std::vector<RemoteSetup>> setups_of(const RunRequest& request, OpenedProject& opened) {
  if (!moves_artifacts(request.work)) return std::vector<RemoteSetup>();
  auto setups = remote_setups(opened.remote_context(),
                              request.work == Work::push ? PushTo::all_or_fail : PushTo::those_that_ask);
  if (!setups || (request.work != Work::pull && request.work != Work::push)) return setups;
  if (setups->empty())
    return fail(Reason::project, "there is no remote",
                "name one in [[remote]] of weir.toml, or with --remote");
  if (opened.values().sandbox.value == SandboxRoot::none)
    return fail(Reason::usage,
                "what is built without a sandbox knows the folders of this machine, so it is not shared");
  if (request.work == Work::push &&
      std::none_of(setups->begin(), setups->end(), [](const auto& one) { return one.push; }))
    return fail(Reason::project, "no remote takes artifacts from here",
                "set push = true in its [[remote]], or name it with --remote");
  return setups;
}

Prompt::Parts prompt_parts(const RunRequest& request, const RunFolder& folder, boost::asio::io_context& loop,
                           Scheduler& scheduler) {
  Prompt::Parts parts{loop,
                      [&scheduler](input::Choice choice) { scheduler.door().post(input::Answer{choice}); },
                      {"-C", request.directory},
                      {},
                      folder.number(),
                      [&folder] { folder.lend(); },
                      [&folder] { folder.take_back(); }};
  for (const auto& setting : request.settings)
    if (setting.name == "trust") parts.shell_options.push_back("--trust");
    else if (setting.name == "sandbox")
      parts.shell_options.insert(parts.shell_options.end(), {"--sandbox", setting.value});
  return parts;
}

Signals::Terminal signal_terminal(LiveTerminal* display, Prompt* prompt) {
  Signals::Terminal terminal;
  terminal.person = prompt != nullptr;
  if (prompt) terminal.aside = [prompt] { return prompt->aside(); };
  terminal.before_stop = [display] {
    if (display) display->stopped();
  };
  terminal.after_stop = [display, prompt] {
    if (display) display->resumed();
    if (prompt) prompt->resumed();
  };
  return terminal;
}

// What a run does beside what is asked for.
struct RunMode {
  StoreBuild::Mode build = StoreBuild::Mode::usual;
  FoundSnapshot* found = nullptr;  // and `part`: only what has changed is looked at
  const OpenedPart* part = nullptr;
};

// How the project stands now, for the next run.
void keep_standing(const RunRequest& request, const OpenedProject& opened, const PlannedTargets& planned,
                   const RunMode& mode, const std::string& store_stamp, const OutcomeOf& outcome) {
  if (mode.part) update_snapshot(*mode.found, *mode.part, outcome);
  else if (mode.build == StoreBuild::Mode::usual)
    take_snapshot(request, opened, planned, store_stamp, outcome);
}

// A job may have failed for want of an artifact that was cached when the run began. Damage was dropped with
// its records, so another run builds that artifact again.
bool must_repeat(const RunRequest& request, int exit, const store::Store& store) {
  const bool failed = exit == kJobFailed || exit == kInfrastructure;
  return builds(request.work) && failed && store.has_met_damage() && !request.is_repeated;
}

// Everything a run needs, built in order of dependence.
int run(const RunRequest& request, OpenedProject& opened, store::Store& store, PlannedTargets& planned,
        const RunMode& mode) {
  const auto& project = opened.project();
  // Before anything is looked up: what another process removes while this run goes on is found missing.
  const auto store_stamp = store::whole_stamp(store_folder(opened.values()));
  std::optional<ResolvedPlacement> placement;
  if (is_placed(request, project)) {
    auto opened_placement = open_placement(opened);
    if (!opened_placement) return opened_placement.error();
    placement = std::move(*opened_placement);
  }
  auto setups = setups_of(request, opened);
  if (!setups) return tell(setups.error());
  const auto machine = probe_machine();
  if (const auto enough = check_threads(machine.cores + kOtherThreads); !enough) {
    tell(enough.error());
    return kResources;
  }
  auto folder = RunFolder::make(opened.values().cache_dir.value, project.name, project.root,
                                sharing_of(opened.values()));
  if (!folder) return tell(folder.error());
  Ledger ledger;
  Lanes lanes;
  auto needs = needs_of_run(opened, planned, machine, ledger, lanes);
  if (!needs) return tell(needs.error());
  planned.plan->limit_cores(ledger.capacity(*ledger.find("process")));

  boost::asio::io_context loop(1);
  Arenas arenas(machine.cores, [](ArenaKind, std::string_view) { end_by_exception(); });
  Scheduler* told_of_news = nullptr;
  const LoopDoors doors{[&](std::function<void()> call) { boost::asio::post(loop, std::move(call)); },
                        [&](ElementId element) { told_of_news->door().post(input::News{element}); }};
  SteadyClock clock;
  Emitter events(clock);
  const auto remotes = make_remote_lines(
      opened.remote_context(), std::move(*setups), clock,
      [&](const RemoteLine::News& news) { doors.post([&events, news] { tell_news(events, news); }); });
  const auto asking =
      request.work == Work::push ? ProjectRemotes::Asking::always : ProjectRemotes::Asking::what_is_not_known;
  RunWork work(
      {opened, planned, store, *folder, arenas, doors, *needs, mode.build, *remotes, asking, !request.no_push,
       [&](auto element, auto since, auto changes) { tell_changes(events, element, since, changes); },
       [&](auto message) { events.emit([&] {
                             return event::Diagnostic{"warning", message};
                           }); }});
  auto row = work.make_row(request);
  if (!row) return tell(row.error());

  RunObservers observers({request, *folder, opened, clock, loop});
  if (auto joined = observers.join(request, *folder, events); !joined) return tell(joined.error());
  tell_start(events, request, project, *folder, machine);
  emit_withheld_tokens(events, request, opened);

  LocalExecutor local(loop, arenas, work.executor_options());
  TransferExecutor executor(
      local, {store, clock, [&] { return remotes->pull_from(); }, [&] { return remotes->push_to(); },
              [&](const TransferReport& report) {
                doors.post([&events, report] { tell_transfer(events, report); });
              },
              folder->logs()});
  const bool person = person_is_there() && !ci_wanted(request);
  const auto [weights, recorded] = weigh_jobs(*planned.plan, Durations::load(opened.folder()));
  DurationNotes took;
  events.add(took);
  MemoryNotes used;
  events.add(used);
  SystemPressure pressure;
  MemoryBrake brake(pressure, memory_reserve(machine.memory));
  const auto lent = cores_of_outer_make(loop, events, [&] { told_of_news->door().post(input::Wake{}); });
  std::optional<PlacementParts> parts;
  if (placement) parts.emplace(placement_parts(*placement, project, ledger, executor));
  auto options = scheduler_options(request, opened, person);
  if (mode.part) options.unchanged = mode.part->unchanged;
  options.keep_all = [&work]() -> std::optional<SchedulerOptions::NotKept> {
    const auto kept = work.keep_all();
    if (kept) return std::nullopt;
    return SchedulerOptions::NotKept{to_text(kept.error()), exit_code_of(kept.error())};
  };
  Scheduler scheduler({planned.graph.graph, *row, ledger, lanes, executor, clock, events,
                       parts ? &*parts : nullptr, &brake, lent.get()},
                      std::move(options), weights, recorded);
  told_of_news = &scheduler;
  std::optional<Prompt> prompt;
  if (person) events.add(prompt.emplace(prompt_parts(request, *folder, loop, scheduler)));
  Signals signals(loop, scheduler, signal_terminal(observers.display(), prompt ? &*prompt : nullptr));
  events.add(signals);
  AsioDriver driver(loop, scheduler);
  std::optional<Submissions> submissions;
  if (request.work == Work::build)
    submissions.emplace(Submissions::Parts{opened, planned, store, *needs, doors.post});
  RunOrders orders({scheduler, ledger, events, folder->number(), project.name,
                    opened.values().requestor.value, submissions ? &*submissions : nullptr});
  ControlServer control(loop, folder->path(), orders);
  if (!control.listening())
    log_warn("this run cannot be controlled: {}", control.listening().error().message);
  const auto wanted = wanted_of(request, project, planned);
  work.prepare(request, wanted);
  if (mode.part) work.know(*mode.found, *mode.part);
  scheduler.start(wanted, planned.plan->planned_elements());
  driver.run();
  control.close();
  // What cannot be written costs an estimate, nothing else.
  for (const auto& saved : {took.save(opened.folder()), used.save(opened.folder())})
    if (!saved) log_warn("{}", saved.error().message);
  const auto exit = work.finish(scheduler.summary().exit);
  // An artifact that was cached when the run began may have been dropped since.
  if (!store.has_met_damage())
    keep_standing(request, opened, planned, mode, store_stamp, [&](ElementId element) {
      return work.outcome(element,
                          work.all_kept() && scheduler.flow().table().phase(element) == Phase::finished);
    });
  const auto documents =
      must_repeat(request, exit, store) ? RunObservers::Documents::omit : RunObservers::Documents::print;
  return observers.finish(request, exit, documents);
}

std::string outstanding_json(const std::string& project, const std::vector<std::string_view>& missing) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("v").value(1).key("project").value(project).key("outstanding").begin_array();
  for (const auto element : missing) json.value(element);
  json.end_array().end_object();
  return text;
}

int tell_none_outstanding(const RunRequest& request, const std::string& project) {
  if (request.json) weir::print("{}\n", outstanding_json(project, {}));
  return kDone;
}

int tell_outstanding(const RunRequest& request, const OpenedProject& opened, store::Store& store,
                     const PlannedTargets& planned) {
  const auto all = survey(*planned.plan, store, opened.failures());
  if (!all) return tell(all.error());
  std::vector<std::string_view> missing;
  for (const auto element : outstanding(*planned.plan, *all, ids_of(planned)))
    missing.push_back(planned.plan->name(element));
  if (request.json) weir::print("{}\n", outstanding_json(opened.project().name, missing));
  else if (!request.quiet)
    for (const auto element : missing) weir::print("{}\n", element);
  return request.check && !missing.empty() ? kWorkLeft : kDone;
}

// An artifact that is cached needs no tool, so the store is asked if there is a tool that is missing. What a
// remote may have is not known yet, but no remote has what was built without a tool of the host: its version
// is part of the key.
std::optional<int> tell_missing_tools(const RunRequest& request, const OpenedProject& opened,
                                      store::Store& store, const PlannedTargets& planned) {
  const auto& plan = *planned.plan;
  if (!builds(request.work) || missing_tools(plan, plan.planned_elements()).empty()) return std::nullopt;
  const auto all = survey(plan, store, opened.failures());
  if (!all) return tell(all.error());
  const bool may_be_elsewhere = request.track || !opened.values().remotes.value.empty();
  Diagnostics diagnostics;
  for (const auto& [element, tool, searched, may_be_brought] :
       missing_tools(plan, outstanding(plan, *all, ids_of(planned)))) {
    if (may_be_brought || (may_be_elsewhere && searched != kHostPath)) continue;
    diagnostics.error(plan.element(element).kind.place,
                      fmt::format("element {} needs {}, which is not in {}",
                                  weir::in_quotes(plan.name(element)), weir::in_quotes(tool), searched),
                      how_to_install(tool));
  }
  if (!diagnostics.has_errors()) return std::nullopt;
  diagnostics.sort();
  return tell(diagnostics, opened.loaded.files);
}

// Sources of elements that are not cached. With remotes nothing is known: what can be pulled needs no source.
Result<std::vector<SourceOfElement>> sources_to_bring(const RunRequest& request, const OpenedProject& opened,
                                                      store::Store& store, const PlannedTargets& planned,
                                                      std::span<const ElementId> elements, SourceJob job) {
  const auto& plan = *planned.plan;
  if (job == SourceJob::track) return sources_to_track(plan, elements);
  if (request.work == Work::fetch) return sources_to_fetch(plan, store, elements);
  if (!opened.values().remotes.value.empty()) return std::vector<SourceOfElement>();
  const auto all = survey(plan, store, opened.failures());
  if (!all) return tl::unexpected(all.error());
  return sources_to_fetch(plan, store, outstanding(plan, *all, ids_of(planned)));
}

// The store is asked only if a tool is missing.
std::optional<int> tell_missing_source_tools(const RunRequest& request, const OpenedProject& opened,
                                             store::Store& store, const PlannedTargets& planned) {
  const auto& plan = *planned.plan;
  if (request.work == Work::pull || request.work == Work::push) return std::nullopt;
  const bool tracks = request.track || request.work == Work::track;
  const auto job = tracks ? SourceJob::track : SourceJob::fetch;
  const auto elements =
      builds(request.work) ? plan.planned_elements() : wanted_of(request, opened.project(), planned);
  const char* variable = std::getenv("PATH");
  const std::string path = variable ? variable : "";
  if (missing_source_tools(plan, one_source_of_each_kind(plan, elements, job), job, path).empty())
    return std::nullopt;
  const auto sources = sources_to_bring(request, opened, store, planned, elements, job);
  if (!sources) return tell(sources.error());
  Diagnostics diagnostics;
  for (const auto& [of, tool] : missing_source_tools(plan, *sources, job, path)) {
    const auto& element = plan.element(of.element);
    const auto& own = element.sources[of.source];
    diagnostics.error(own.place,
                      fmt::format("the {} source of element {} needs {}, which is not in {}", own.kind.text,
                                  weir::in_quotes(element.name), weir::in_quotes(tool), path),
                      how_to_install(tool));
  }
  if (!diagnostics.has_errors()) return std::nullopt;
  diagnostics.sort();
  return tell(diagnostics, opened.loaded.files);
}

// Never takes what this run needs: that is pinned.
void respect_quota(store::Store& store, std::uint64_t quota) {
  if (quota == 0) return;
  store::GcRequest request;
  request.quota = quota;
  if (const auto done = store.gc(request); !done)
    log_warn("making room in the store: {}", done.error().message);
}

struct EndOfRun {
  int exit = kDone;
  bool is_to_be_repeated = false;
};

// Only what has changed since the last build with the same question, if that is known. Nothing: everything is
// to be looked at.
std::optional<EndOfRun> run_changed(const RunRequest& request) {
  auto found = find_snapshot(request);
  if (!found) return std::nullopt;
  const bool only_asked = request.check || request.dry_run;
  if (found->nothing_to_do() && only_asked)
    return EndOfRun{tell_none_outstanding(request, found->frame->project().name)};
  if (found->nothing_to_do()) return EndOfRun{run_unchanged(request, *found)};
  if (only_asked || !found->changes.definitions.empty()) return std::nullopt;
  auto store = open_store(found->frame->values(), "run of " + found->frame->project().name);
  if (!store || !settle_sources(request, *found, *store->store)) return std::nullopt;
  if (found->nothing_to_do()) return EndOfRun{run_unchanged(request, *found)};
  const auto part = open_part(request, *found, *store->store);
  if (!part) return std::nullopt;
  if (const auto exit = tell_missing_tools(request, *part->opened, *store->store, *part->planned))
    return EndOfRun{*exit};
  if (const auto exit = tell_missing_source_tools(request, *part->opened, *store->store, *part->planned))
    return EndOfRun{*exit};
  const int exit =
      run(request, *part->opened, *store->store, *part->planned, {StoreBuild::Mode::usual, &*found, &*part});
  respect_quota(*store->store, part->opened->values().cache_quota.value);
  return EndOfRun{exit, must_repeat(request, exit, *store->store)};
}

// A build may be asked for more while it goes on.
GraphOf graph_of(const RunRequest& request) {
  return request.work == Work::build && !request.dry_run && !request.check ? GraphOf::project
                                                                           : GraphOf::targets;
}

TrustStage stage_of(const RunRequest& request) {
  return request.dry_run || request.check ? TrustStage::open : TrustStage::run;
}

EndOfRun run_once(const RunRequest& request) {
  if (const auto end = run_changed(request)) return *end;
  const std::vector<std::string> more_queues(request.work == Work::test ? 1 : 0, std::string(kTestQueue));
  const bool tracks = request.track || request.work == Work::track;
  const auto opened = open_project(request.directory, request.settings, more_queues,
                                   tracks ? LoadBy::files_to_track : LoadBy::files, stage_of(request));
  if (!opened) return {opened.error()};
  auto store = open_store((*opened)->values(), "run of " + (*opened)->project().name);
  if (!store) return {tell(store.error())};
  const auto planned = plan_targets(**opened, *store->store, request.targets, graph_of(request));
  if (!planned) return {planned.error()};
  if (tracks && ::access((*opened)->project().root.c_str(), W_OK) != 0)
    return {tell(fail_errno("weir.lock cannot be written to " + (*opened)->project().root).value())};
  if (!tracks) {
    const auto elements = request.work == Work::fetch ? wanted_of(request, (*opened)->project(), **planned)
                                                      : (*planned)->plan->planned_elements();
    if (const auto exit = tell_unpinned(**opened, **planned, elements)) return {*exit};
  }
  if (request.dry_run || request.check)
    return {tell_outstanding(request, **opened, *store->store, **planned)};
  if (const auto exit = tell_missing_tools(request, **opened, *store->store, **planned)) return {*exit};
  if (const auto exit = tell_missing_source_tools(request, **opened, *store->store, **planned))
    return {*exit};
  int exit = run(request, **opened, *store->store, **planned, {});
  if (exit == kDone && request.rebuild_check)
    exit = run(request, **opened, *store->store, **planned, {.build = StoreBuild::Mode::check});
  respect_quota(*store->store, (*opened)->values().cache_quota.value);
  return {exit, must_repeat(request, exit, *store->store)};
}

}  // namespace

int run_pipeline(const RunRequest& request) {
  if (request.track && (request.dry_run || request.check))
    return tell(Error{Reason::usage, "what --track would find is not known before it is done",
                      "run weir track first"});
  if (request.junit)
    if (const auto fits = check_junit_file(*request.junit); !fits) return tell(fits.error());
  const auto first = run_once(request);
  if (!first.is_to_be_repeated) return first.exit;
  weir::print(stderr, "weir: damaged files were found in the cache and dropped; building again\n");
  auto repeated = request;
  repeated.is_repeated = true;
  return run_once(repeated).exit;
}

}  // namespace weir::cli
