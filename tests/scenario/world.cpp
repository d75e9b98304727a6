#include "tests/scenario/world.h"

#include "core/base/assert.h"

namespace weir::test {

namespace {

std::string when(Duration since_start) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count();
  return ms % 1000 ? fmt::format("{}.{:03}s", ms / 1000, ms % 1000) : fmt::format("{}s", ms / 1000);
}

}  // namespace

void ScheduleText::on_event(const Event& event) {
  const auto line = [&](const std::string& what) {
    text += fmt::format("{} {}\n", when(event.since_start), what);
  };
  if (const auto* start = event.as<event::JobStart>()) {
    jobs_[start->job] = fmt::format("{}/{}", start->element, start->queue);
    const auto attempt = start->attempt > 1 ? fmt::format(" attempt {}", start->attempt) : "";
    const auto where = with_workers ? fmt::format(" on {}", start->worker) : "";
    line(fmt::format("start {}{}{}", jobs_[start->job], where, attempt));
  } else if (const auto* end = event.as<event::JobEnd>()) {
    const auto failure = end->failure.text.empty() ? "" : fmt::format(" {}", end->failure.text);
    line(fmt::format("end {}/{} {}{}", end->element, end->queue, end->result, failure));
  } else if (const auto* ask = event.as<event::RunAsk>()) {
    line(fmt::format("ask {}{}{}", ask->about, ask->element.text.empty() ? "" : " ", ask->element.text));
  } else if (const auto* stop = event.as<event::JobStop>()) {
    line(fmt::format("stop {} {}", jobs_[stop->job], stop->reason));
  } else if (const auto* suspend = event.as<event::JobSuspend>()) {
    line(fmt::format("suspend {}", jobs_[suspend->job]));
  } else if (const auto* resume = event.as<event::JobResume>()) {
    line(fmt::format("resume {}", jobs_[resume->job]));
  } else if (const auto* cores = event.as<event::JobCores>()) {
    line(fmt::format("cores {} {}", jobs_[cores->job], cores->cores));
  } else if (const auto* wait = event.as<event::JobWait>(); wait && with_waits) {
    line(fmt::format("wait {}/{} for {} {}", wait->element, wait->queue, wait->what, wait->name.text));
  } else if (const auto* worker = event.as<event::WorkerState>(); worker && with_workers) {
    line(fmt::format("worker {} {}", worker->worker, worker->state));
  } else if (const auto* move = event.as<event::ArtifactMove>(); move && with_workers) {
    line(fmt::format("move {} from {} to {}", move->element, move->from, move->to));
  } else if (const auto* state = event.as<event::ElementState>(); state && with_states) {
    const auto reason = state->reason.text.empty() ? "" : fmt::format(": {}", state->reason.text);
    line(fmt::format("{} {}/{}{}", state->status, state->element, state->queue, reason));
  }
}

Scenario& Scenario::element(std::string name, std::vector<std::string> depends, Facts facts,
                            std::vector<std::string> runtime) {
  std::vector<Graph::Edge> edges;
  for (const auto& dependency : depends) edges.push_back({ids_.at(dependency), DependencyKind::build});
  for (const auto& dependency : runtime) edges.push_back({ids_.at(dependency), DependencyKind::runtime});
  ids_[name] = graph_.add(name, edges);
  world.facts.push_back(facts);
  world.names.push_back(std::move(name));
  return *this;
}

JobNeeds Scenario::usual(std::string_view token) {
  const TokenNeed need{*ledger.find(token), 1, false};
  JobNeeds needs;
  needs.tokens = *ledger.intern({&need, 1});
  needs.retry = retry;
  return needs;
}

NeedsTable Scenario::build_needs() {
  NeedsTable table(usual("process"));
  for (const auto& [name, id] : ids_) {
    if (!needs_.count(name) && !lane_asks_.count(name)) continue;
    auto own = usual("process");
    if (needs_.count(name)) {
      std::vector<TokenNeed> all;
      for (const auto& need : needs_[name])
        all.push_back({*ledger.find(need.token), need.amount, need.exclusive});
      own.tokens = *ledger.intern(all);
    }
    own.lanes = lane_asks_[name];
    table.set(id, own);
  }
  return table;
}

bool Scenario::run(std::vector<std::string_view> queues) {
  const NeedsTable download(usual("download")), upload(usual(share_one_token ? "download" : "upload"));
  RowParts parts{world, world, world, download, build_needs(), upload, download};
  parts.later_sources = &world;
  parts.plugin_queue = [&](std::string_view name, PluginQueue::Place place) -> std::unique_ptr<Queue> {
    return std::make_unique<PluginQueue>(std::string(name), place, world, world,
                                         NeedsTable(usual("process")));
  };
  auto row = make_row(queues, parts);
  WEIR_ASSERT(row.has_value(), "{}", row.error().message);
  // Where jobs run: each place has an executor of its own, sound or not.
  std::deque<FakeExecutor> sound;
  std::deque<BadExecutor> bad;
  std::vector<VirtualSource*> sources;
  const auto make_executor = [&](const std::optional<BadExecutor::Faults>& with) -> Executor& {
    sources.push_back(
        &sound.emplace_back(clock, [&](JobId, const JobSpec& spec) { return scripts_[spec.label].next(); }));
    if (!with) return sound.back();
    sources.push_back(&bad.emplace_back(sound.back(), clock, *with));
    return bad.back();
  };
  Executor& executor = make_executor(faults);
  std::vector<WorkerSpec> workers;
  for (const auto& worker : workers_)
    workers.push_back({worker.name, worker.slots, &make_executor(worker.faults)});
  std::optional<PlacementParts> placement;
  if (allocator_) placement.emplace(PlacementParts{*allocator_, *placer_, std::move(workers), {}});
  Emitter events(clock);
  events.add(text);
  for (auto* observer : observers) events.add(*observer);
  std::optional<MemoryBrake> brake;
  if (pressure) brake.emplace(*pressure, 1000);
  Scheduler scheduler({graph_, *row, ledger, lanes, executor, clock, events,
                       placement ? &*placement : nullptr, brake ? &*brake : nullptr, lender},
                      options, weights);
  VirtualDriver chosen(scheduler, clock, sources);
  for (auto& [moment, order] : orders_)
    chosen.at(moment, [&scheduler, &order = order] { scheduler.door().post(order); });
  for (auto& [moment, call] : calls_) chosen.at(moment, [&scheduler, &call = call] { call(scheduler); });

  std::vector<ElementId> wanted;
  for (std::uint32_t i = 0; i < graph_.size(); ++i)
    if (wanted_.empty()) wanted.push_back(ElementId{i});
  for (const auto& name : wanted_) wanted.push_back(ids_.at(name));
  scheduler.start(wanted);
  if (!chosen.run()) return false;
  summary_ = scheduler.summary();
  for (std::uint32_t i = 0; i < graph_.size(); ++i)
    phases_ += fmt::format("{}{}={}", i ? " " : "", graph_.name(ElementId{i}),
                           to_string(scheduler.flow().table().phase(ElementId{i})));
  return true;
}

}  // namespace weir::test
