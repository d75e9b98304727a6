// Jobs that are placed: whose turn it is, who takes them, and what becomes of workers.
#include <algorithm>

#include "core/base/assert.h"
#include "core/base/log.h"
#include "core/scheduler/scheduler.h"

namespace weir {

namespace {

// A job and its result share one name. Those of the queue that makes artifacts have the name of their
// element, so that an artifact and what depends on it meet.
ResultId result_of(ElementId element, std::size_t queue, std::size_t makes, std::size_t elements) {
  const auto block = queue == makes ? 0 : queue + 1;
  return ResultId{static_cast<std::uint32_t>(block * elements + index(element))};
}

constexpr int kFaultExit = 70;

}  // namespace

void Scheduler::set_up_placement(const PlacementParts& parts) {
  placing_.emplace(Placing{parts.allocator,
                           parts.placer,
                           Workforce(parts.workers, clock_, options_.breaker),
                           parts.slots_follow,
                           {},
                           {},
                           {},
                           {},
                           0,
                           {}});
  auto& placing = *placing_;
  for (std::size_t queue = 0; queue < flow_.queues(); ++queue)
    placing.queues.push_back(queue == flow_.makes() || !is_own_queue(flow_.station(queue).queue().name()));
}

void Scheduler::start_workers() {
  auto& placing = *placing_;
  follow_slots();
  for (std::uint32_t w = 0; w < placing.workers.size(); ++w) {
    placing.placer.add_worker(WorkerId{w});
    placing.hungry.push_back(WorkerId{w});
    report_worker(WorkerId{w});
  }
  recount_places();
}

void Scheduler::follow_slots() {
  if (!placing_ || !placing_->slots_follow) return;
  placing_->workers.change(WorkerId{0},
                           [&](Worker& worker) { worker.slots = ledger_.capacity(*placing_->slots_follow); });
}

BuildId Scheduler::add_build(std::string requestor) {
  const BuildId id{static_cast<std::uint32_t>(builds_.size())};
  Build build;
  build.requestor = std::move(requestor);
  if (placing_) {
    build.work_class = placing_->allocator.class_of(build.requestor);
    build.class_name = placing_->allocator.class_name(build.work_class);
  }
  builds_.push_back(std::move(build));
  return id;
}

bool Scheduler::is_placed(std::size_t queue) const { return placing_ && placing_->queues[queue]; }

ResultId Scheduler::result_of(ElementId element) const {
  return weir::result_of(element, flow_.table().queue(element), flow_.makes(), graph_.size());
}

// Artifacts that a job uses: what its element is built with, or the element's own once it is made.
std::vector<ResultId> Scheduler::artifacts_for(ElementId element) const {
  const auto queue = flow_.table().queue(element);
  std::vector<ResultId> artifacts;
  if (flow_.makes() != Row::kNone && queue > flow_.makes()) artifacts.push_back(ResultId{index(element)});
  if (queue == flow_.makes())
    for (const auto dependency : graph_.build_dependencies(element))
      artifacts.push_back(ResultId{index(dependency)});
  return artifacts;
}

// The allocator counts places by itself while workers stay as they are.
void Scheduler::recount_places() {
  auto& placing = *placing_;
  const auto placed = static_cast<std::int64_t>(placing.tokens.size());
  const auto idle = std::max<std::int64_t>(0, placing.workers.idle() - placed);
  placing.allocator.set_workers(std::max(placing.workers.places(), idle + placed + placing.workers.busy()),
                                idle);
}

void Scheduler::foretell_ends() {
  auto& ended = placing_->ended;
  ended.clear();
  for (const auto& input : inputs_) {
    const auto* end = std::get_if<input::JobEnded>(&input);
    const auto* job = end ? running(end->job) : nullptr;
    if (job && job->worker != kNoWorker)
      ended.push_back({job->worker, weir::result_of(job->element, job->queue, flow_.makes(), graph_.size())});
  }
  if (ended.size() > 1) placing_->placer.expect(ended);
}

bool Scheduler::start_placed() {
  if (!placing_ || paused_) return false;
  auto& placing = *placing_;
  placing.placer.advance(now_);
  if (placing.blocked_in != epoch_) unblock_builds();
  bool moved = false;
  while (const auto next = placing.allocator.next()) {
    if (admit(next->build)) {
      moved = true;
    } else {
      block(next->build);
    }
  }
  moved |= let_pick();
  report_unpicked();
  report_unplaced();
  check_placement();
  return moved;
}

// The best job of the build that can have its tokens, of the last queue first, goes into the placer.
bool Scheduler::admit(BuildId build) {
  for (std::size_t queue = flow_.queues(); queue-- > 0;) {
    if (!placing_->queues[queue]) continue;
    while (const auto best = ready_[queue].best(epoch_, build)) {
      auto tokens = reserve(queue, *best);
      if (!tokens || hold_back_for_memory(queue, *best)) continue;
      granted(queue, *best);
      place(order_.at(best->position), std::move(tokens));
      return true;
    }
  }
  return false;
}

void Scheduler::place(ElementId element, Ledger::Reservation tokens) {
  auto& placing = *placing_;
  const auto& build = builds_[index(flow_.table().build(element))];
  placing.allocator.job_started(build.work_class, flow_.table().build(element));
  flow_.table().move(element, Phase::placing);
  placing.tokens.emplace(index(element), std::move(tokens));
  const auto c = index(build.work_class);
  if (c >= placing.begun.size()) placing.begun.resize(c + 1);
  placing.begun[c].push_back(flow_.table().job(element));
  if (events_.heard()) placing.unpicked.push_back(element);
  const bool is_new = placing.placer.schedule(result_of(element), artifacts_for(element), now_);
  WEIR_ASSERT(is_new || placing.placer.fault(), "{} is placed twice", graph_.name(element));
}

void Scheduler::block(BuildId build) {
  auto& own = builds_[index(build)];
  own.blocked = true;
  placing_->blocked.push_back(build);
  placing_->blocked_in = epoch_;
  placing_->allocator.set_blocked(own.work_class, build, true);
}

void Scheduler::unblock(BuildId build) {
  auto& own = builds_[index(build)];
  if (!own.blocked) return;
  own.blocked = false;
  placing_->allocator.set_blocked(own.work_class, build, false);
}

void Scheduler::unblock_builds() {
  for (const auto build : placing_->blocked) unblock(build);
  placing_->blocked.clear();
}

bool Scheduler::let_pick() {
  auto& placing = *placing_;
  bool started = false;
  // Those who have waited longer come first; it also keeps a job that was lost off the worker that lost it.
  started |= wake_workers();
  for (const auto worker : std::exchange(placing.hungry, {})) started |= let_pick(worker);
  return started | wake_workers();
}

bool Scheduler::wake_workers() {
  auto& placing = *placing_;
  bool started = false;
  while (const auto woken = placing.placer.next_woken()) {
    if (placing.workers[*woken].has_room()) {
      started |= let_pick(*woken);
      continue;
    }
    // It was woken for a job that it cannot take: perhaps another one can. Who has no room does not wait
    // again, so this comes once for each time that a worker drains or breaks, not once a job.
    for (std::uint32_t w = 0; w < placing.workers.size(); ++w) started |= let_pick(WorkerId{w});
  }
  return started;
}

bool Scheduler::let_pick(WorkerId id) {
  auto& placing = *placing_;
  const auto& worker = placing.workers[id];
  bool started = false;
  while (worker.state == Worker::State::up && worker.busy() < worker.slots) {
    if (!placing.workers.change(id, [](Worker& one) { return one.health.allow(); })) {
      wait_for_worker(id);
      break;
    }
    const bool is_probe = worker.health.state() == CircuitBreaker::State::half_open;
    const auto pick = placing.placer.pick(id, now_);
    if (!pick) {
      if (is_probe) placing.workers.change(id, [](Worker& one) { one.health.abandon(); });
      break;
    }
    take(id, ElementId{static_cast<std::uint32_t>(index(pick->job) % graph_.size())}, is_probe);
    started = true;
  }
  return started;
}

void Scheduler::wait_for_worker(WorkerId id) {
  const auto& worker = placing_->workers[id];
  if (worker.breaker_timer != TimerQueue::Id::none || worker.health.state() != CircuitBreaker::State::open)
    return;
  const auto timer = set_timer(worker.health.retry_at(), Timer::worker, index(id));
  placing_->workers.change(id, [&](Worker& one) { one.breaker_timer = timer; });
}

void Scheduler::take(WorkerId worker, ElementId element, bool is_probe) {
  auto tokens = placing_->tokens.extract(index(element));
  WEIR_ASSERT(!tokens.empty(), "{} is picked and was not placed", graph_.name(element));
  placing_->workers.start(worker, flow_.table().job(element));
  move_artifacts(worker, element);
  start_job(element, std::move(tokens.mapped()), is_probe, worker);
}

void Scheduler::move_artifacts(WorkerId to, ElementId element) {
  auto& placing = *placing_;
  for (const auto artifact : artifacts_for(element)) {
    if (placing.placer.holds(to, artifact)) continue;
    const auto from = placing.placer.locate(artifact);
    if (!from) continue;
    placing.placer.add_artifact(to, artifact, now_);
    events_.emit([&] {
      return event::ArtifactMove{graph_.name(ElementId{index(artifact)}), placing.workers[*from].name,
                                 placing.workers[to].name, index(flow_.table().job(element))};
    });
  }
}

// Its worker has room again. A job that was told to stop for the sake of others is counted as such even if it
// was faster.
void Scheduler::leave_worker(const RunningJob& job, const JobResult& result) {
  auto& placing = *placing_;
  const auto& worker = placing.workers[job.worker];
  const auto build = flow_.table().build(job.element);
  const auto work_class = builds_[index(build)].work_class;
  const auto result_id = weir::result_of(job.element, job.queue, flow_.makes(), graph_.size());
  placing.workers.end(job.worker, job.id);
  placing.hungry.push_back(job.worker);
  placing.placer.complete(job.worker, result_id, result.ending == Ending::succeeded, now_);
  let_go(job.worker);
  if (job.preempted) {
    placing.allocator.job_requeued(work_class, build);
    placing.allocator.job_withdrawn(work_class, build);
  } else {
    placing.allocator.job_ended(work_class, build);
  }
  if (!worker.usable() || worker.busy() >= worker.slots) recount_places();
}

// Out of the placer, and its tokens are free again. Its element keeps its phase.
void Scheduler::withdraw_placed(ElementId element) {
  auto& placing = *placing_;
  const auto build = flow_.table().build(element);
  placing.placer.withdraw(result_of(element), now_);
  placing.tokens.erase(index(element));
  placing.allocator.job_ended(builds_[index(build)].work_class, build);
  recount_places();
}

// ---- rebalancing ----

// True if places became free at once.
bool Scheduler::rebalance() {
  if (!placing_ || paused_) return false;
  bool freed = false;
  for (const auto& order : placing_->allocator.to_stop(now_)) freed |= stop_newest(order);
  return freed;
}

bool Scheduler::stop_newest(const Allocator::Stop& order) {
  auto& begun = placing_->begun;
  if (index(order.work_class) >= begun.size()) return false;
  auto& jobs = begun[index(order.work_class)];
  drop_ended(jobs);
  auto left = order.jobs;
  bool freed = false;
  for (auto job = jobs.rbegin(); job != jobs.rend() && left > 0; ++job) {
    const auto done = preempt(*job);
    if (done != Preempted::no) --left;
    freed |= done == Preempted::at_once;
  }
  return freed;
}

void Scheduler::drop_ended(std::vector<JobId>& jobs) {
  std::erase_if(jobs,
                [&](JobId job) { return !running(job) && flow_.table().job(row_of(job).element) != job; });
}

Scheduler::Preempted Scheduler::preempt(JobId id) {
  if (auto* job = running(id)) {
    if (job->stopping) return Preempted::no;
    job->preempted = true;
    stop(*job, StopReason::preempted);
    return Preempted::stopping;
  }
  const auto element = row_of(id).element;
  if (flow_.table().phase(element) != Phase::placing) return Preempted::no;
  put_back(element);
  const auto build = flow_.table().build(element);
  placing_->allocator.job_requeued(builds_[index(build)].work_class, build);
  return Preempted::at_once;
}

// It was in the placer and had not started: it only goes back into the line.
void Scheduler::put_back(ElementId element) {
  placing_->placer.withdraw(result_of(element), now_);
  placing_->tokens.erase(index(element));
  flow_.table().move(element, Phase::ready);
  ready_[flow_.table().queue(element)].insert(request_of(element), order_.position(element),
                                              flow_.table().build(element));
}

// There are fewer of a token than are in use: who has not started gives back what it holds.
void Scheduler::put_back_beyond(TokenId token) {
  std::vector<std::uint32_t> holders;
  for (const auto& [element, tokens] : placing_->tokens) {
    const auto needs = ledger_.needs(tokens.request());
    if (std::any_of(needs.begin(), needs.end(), [&](const TokenNeed& need) { return need.token == token; }))
      holders.push_back(element);
  }
  std::sort(holders.begin(), holders.end(), std::greater<>());
  for (const auto element : holders) {
    if (ledger_.used(token) <= ledger_.capacity(token)) return;
    put_back(ElementId{element});
    const auto build = flow_.table().build(ElementId{element});
    placing_->allocator.job_ended(builds_[index(build)].work_class, build);
    placing_->allocator.job_waiting(builds_[index(build)].work_class, build);
  }
}

// ---- what is told ----

// Has its tokens, and the workers that may take it now are busy or drained.
void Scheduler::report_unpicked() {
  for (const auto element : std::exchange(placing_->unpicked, {})) {
    if (flow_.table().phase(element) != Phase::placing) continue;
    events_.emit([&] {
      event::JobWait wait;
      wait.job = index(flow_.table().job(element));
      wait.element = graph_.name(element);
      wait.queue = flow_.queue_of(element).name();
      wait.what = "place";
      wait.name.text = place_name();
      return wait;
    });
  }
}

// Why nothing of these runs; of the first job of each kind, and once.
void Scheduler::report_unplaced() {
  if (!events_.heard()) return;
  auto& placing = *placing_;
  const bool any_usable = placing.workers.any_usable();
  for (std::size_t queue = 0; queue < flow_.queues(); ++queue) {
    if (!placing.queues[queue]) continue;
    ready_[queue].visit_changed([&](ReadyJobs::Bucket& bucket) {
      if (bucket.refused_in == epoch_) return false;  // that was told
      const bool others = builds_.size() > 1 && any_usable;
      if (const auto first = bucket.jobs.first())
        report_wait(bucket, order_.at(*first), others ? "class" : "place", nullptr);
      return true;
    });
  }
}

void Scheduler::check_placement() {
  auto fault = placing_->allocator.fault();
  if (!fault) fault = placing_->placer.fault();
  if (!fault || plugin_fault_) return;
  plugin_fault_ = true;
  const auto words = to_text(*fault);  // an event only borrows them
  events_.emit([&] { return event::Diagnostic{"error", words}; });
  cancel_run({kFaultExit, false});
}

std::optional<Time> Scheduler::next_placement() const {
  if (!placing_ || paused_) return std::nullopt;
  auto next = placing_->placer.next_timer();
  // One that is due was asked for just now.
  const auto check = placing_->allocator.next_check();
  if (check && *check > now_ && (!next || *check < *next)) next = check;
  return next;
}

// ---- settings ----

std::string Scheduler::placement_settings() const {
  return placing_ ? placing_->allocator.settings() : std::string("{}");
}

Status Scheduler::set_placement(std::string_view name, std::string_view json) {
  if (!placing_)
    return fail(Reason::usage, fmt::format("there is nothing called \"{}\" to set in this run", name),
                "classes need [placement] allocate = \"load-based\" and [[class]] in weir.toml");
  if (auto set = placing_->allocator.set(name, json); !set) return set;
  events_.emit([&] { return event::Control{"set", {name}, std::nullopt, {json}}; });
  door_.post(input::Wake{});
  return {};
}

}  // namespace weir
