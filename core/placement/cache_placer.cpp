#include "core/placement/cache_placer.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"

namespace weir {

namespace {
constexpr std::size_t kShortList = 32;
}

auto CachePlacer::positions(Kind kind) {
  return [this, kind](std::uint32_t holding) -> std::uint32_t& {
    positions_.reach(holding + 1);
    auto& both = positions_[holding];
    return kind == Kind::result ? both.result : both.dependency;
  };
}

// ---- lists of jobs ----

void CachePlacer::append(JobList& list, std::uint32_t job) {
  jobs_[job].link = {list.last, kNone};
  (list.last == kNone ? list.first : jobs_[list.last].link.next) = job;
  list.last = job;
}

void CachePlacer::unlink(JobList& list, std::uint32_t job) {
  const auto link = jobs_[job].link;
  (link.prev == kNone ? list.first : jobs_[link.prev].link.next) = link.next;
  (link.next == kNone ? list.last : jobs_[link.next].link.prev) = link.prev;
  jobs_[job].link = {};
}

void CachePlacer::start_timer(JobList& list, std::uint32_t job, Time when) {
  jobs_[job].when = when;
  append(list, job);
  nothing_due_before_ = std::min(nothing_due_before_, when);
}

CachePlacer::JobList& CachePlacer::list_of(const Job& job) {
  if (job.stage == Stage::running) return workers_[index(job.worker)].running;
  return job.stage == Stage::cache ? cache_timers_ : dependency_timers_;
}

// Out of the list or queue that its stage has it in, and out of the queues of what it needs.
void CachePlacer::leave(std::uint32_t at) {
  auto& job = jobs_[at];
  const bool is_queued = job.stage == Stage::dependency || job.stage == Stage::global;
  if (is_queued) prefetch_needs(at);
  if (job.stage == Stage::global) global().erase(at);
  else unlink(list_of(job), at);
  if (job.stage == Stage::running) --running_;
  if (!is_queued) return;
  jobs_.for_each_need(at, [&](std::uint32_t need, const Need&) { unqueue_need(need); });
}

// ---- stages ----

void CachePlacer::wait_anew(std::uint32_t at, Time now) {
  auto& job = jobs_[at];
  job.order = next_order_++;
  if (holdings_.is_held(job.id)) {
    job.stage = Stage::cache;
    start_timer(cache_timers_, at, now + settings_.cache_timeout);
    announce(job.id, {at, job.order}, Kind::result);
  } else {
    enter_dependency(at, now);
  }
  advance(now);
}

void CachePlacer::enter_dependency(std::uint32_t at, Time since) {
  auto& job = jobs_[at];
  job.stage = Stage::dependency;
  // Each of these would be a cache miss of its own below; so they are waited for together.
  jobs_.for_each_need(at, [&](std::uint32_t, const Need& need) {
    jobs_.prefetch_need(artifact(need.artifact).needers.last);
  });
  start_timer(dependency_timers_, at, since + settings_.deps_timeout);
  jobs_.for_each_need(at, [&](std::uint32_t need, const Need&) { queue_need(need); });
  if (settings_.skip_empty_stages && !has_held_need(at)) enter_global(at, since);
}

void CachePlacer::queue_need(std::uint32_t at) {
  const auto id = jobs_.need(at).artifact;
  auto& needed = artifact(id);
  auto queue = needers(needed);
  queue.insert(at);
  if (queue.front() != at) return;
  needed.first_needer = in_line(jobs_.job_of(at));
  announce(id, needed.first_needer, Kind::dependency);
}

void CachePlacer::unqueue_need(std::uint32_t at) {
  auto& needed = artifact(jobs_.need(at).artifact);
  auto queue = needers(needed);
  queue.erase(at);
  if (needed.first_needer.job != jobs_.job_of(at)) return;
  const auto first = queue.front();
  needed.first_needer = first == kNone ? InLine{} : in_line(jobs_.job_of(first));
}

void CachePlacer::enter_global(std::uint32_t at, Time since) {
  unlink(dependency_timers_, at);
  auto& job = jobs_[at];
  job.stage = Stage::global;
  job.when = since;
  global().insert(at);
}

bool CachePlacer::has_held_need(std::uint32_t job) const {
  return jobs_.any_need(job,
                        [&](std::uint32_t, const Need& need) { return holdings_.is_held(need.artifact); });
}

void CachePlacer::fire_timers(Time now) {
  for (;;) {
    const auto cache = cache_timers_.first, deps = dependency_timers_.first;
    const auto due = [&](std::uint32_t job) { return job != kNone && jobs_[job].when <= now; };
    if (due(cache) && (deps == kNone || jobs_[cache].when <= jobs_[deps].when)) {
      unlink(cache_timers_, cache);
      // The stage began when it was due, however late it is noticed.
      enter_dependency(cache, jobs_[cache].when);
    } else if (due(deps)) {
      enter_global(deps, jobs_[deps].when);
    } else {
      break;
    }
  }
  nothing_due_before_ = next_timer().value_or(Time::max());
}

std::optional<Time> CachePlacer::next_timer() const {
  std::optional<Time> next;
  for (const auto first : {cache_timers_.first, dependency_timers_.first})
    if (first != kNone && (!next || jobs_[first].when < *next)) next = jobs_[first].when;
  return next;
}

// ---- jobs ----

bool CachePlacer::is_needed(std::uint32_t job, ResultId dep) const {
  return jobs_.any_need(job, [&](std::uint32_t, const Need& need) { return need.artifact == dep; });
}

bool CachePlacer::schedule(ResultId id, std::span<const ResultId> deps, Time now) {
  for (const auto dep : deps) holdings_.prefetch(dep);
  const auto likely = likely_pick();
  advance(now);
  auto& made = artifact(id);
  if (made.job != kNone) return false;
  const auto at = jobs_.take();
  made.job = at;
  jobs_[at].id = id;
  for (const auto dep : deps) {
    // Named twice is needed once. In a long list that costs a record more and changes no answer.
    if (deps.size() > kShortList || !is_needed(at, dep)) jobs_.add_need(at, dep);
  }
  wait_anew(at, now);
  if (likely != kNone) prefetch_needs(likely);
  return true;
}

void CachePlacer::finish(std::uint32_t at) {
  leave(at);
  artifact(jobs_[at].id).job = kNone;
  jobs_.give_back(at);
}

bool CachePlacer::withdraw(ResultId id, Time now) {
  advance(now);
  const auto at = artifact(id).job;
  if (at != kNone) finish(at);
  return at != kNone;
}

bool CachePlacer::complete(WorkerId worker, ResultId id, bool ok, Time now) {
  const auto& self = known_worker(worker);
  prefetch_ended(self, worker, id);
  advance(now);
  prefetch_offers(self);
  will_pick_ = index(worker);
  const auto at = artifact(id).job;
  const bool is_own = at != kNone && jobs_[at].stage == Stage::running && jobs_[at].worker == worker;
  const bool is_known = at != kNone && (ok || is_own);
  if (is_known) finish(at);
  if (ok) add_artifact(worker, id, now);
  return is_known;
}

// ---- what will be looked at ----

// Nearly all that is looked at is in no cache, and a round is as long as the chain of those looks. So they
// are begun together, as early as it is known where they go.

void CachePlacer::prefetch_ended(const Worker& worker, WorkerId id, ResultId job) const {
  holdings_.prefetch(job);
  jobs_.prefetch(worker.running.first);
  worker.dependencies.prefetch();
  holdings_.prefetch(id);
}

void CachePlacer::prefetch_needs(std::uint32_t job) const {
  jobs_.prefetch(jobs_[job].link.prev);
  jobs_.prefetch(jobs_[job].link.next);
  jobs_.for_each_need(job, [&](std::uint32_t, const Need& need) {
    holdings_.prefetch(need.artifact);
    jobs_.prefetch_need(need.link.prev);
    jobs_.prefetch_need(need.link.next);
  });
}

// A worker whose job ended will pick soon: first it looks at what it might take..
void CachePlacer::prefetch_offers(const Worker& worker) const {
  for (const auto* heap : {&worker.results, &worker.dependencies}) {
    for (const auto& offer : heap->first_few()) {
      holdings_.prefetch(offer.artifact);
      jobs_.prefetch(offer.job);
    }
  }
}

// Where a look goes is known when the one before it has come in; so all take the same step together.
void CachePlacer::expect(std::span<const Ended> ended) {
  const auto each = [&](auto&& look) {
    for (const auto& one : ended)
      if (index(one.worker) < workers_.size()) look(workers_[index(one.worker)], one);
  };
  for (const auto& one : ended) workers_.prefetch(index(one.worker));
  each([&](const Worker& worker, const Ended& one) { prefetch_ended(worker, one.worker, one.job); });
  each([&](const Worker& worker, const Ended&) { prefetch_offers(worker); });
  each([&](const Worker& worker, const Ended&) { jobs_.prefetch(first_offered(worker)); });
  each([&](const Worker& worker, const Ended&) {
    if (const auto job = first_offered(worker); job != kNone) prefetch_needs(job);
  });
}

std::uint32_t CachePlacer::first_offered(const Worker& worker) const {
  if (worker.dependencies.empty()) return kNone;
  const auto* wanted = holdings_.find_extra(worker.dependencies.top().artifact);
  return wanted ? wanted->first_needer.job : kNone;
}

// .. and then at all around the job that it takes. Which one that is can be found out early: its heap is
// brought up to date once, now or later.
std::uint32_t CachePlacer::likely_pick() {
  if (will_pick_ == kNone) return kNone;
  const auto job = best(workers_[std::exchange(will_pick_, kNone)], Kind::dependency);
  jobs_.prefetch(job);
  return job;
}

// ---- picking ----

CachePlacer::InLine CachePlacer::waiting_for(ResultId id, Kind kind) {
  auto& wanted = artifact(id);
  if (kind == Kind::dependency) return wanted.first_needer;
  const auto at = wanted.job;
  return at != kNone && jobs_[at].stage != Stage::running ? in_line(at) : InLine{};
}

std::uint32_t CachePlacer::best(Worker& worker, Kind kind) {
  auto& heap = heap_of(worker, kind);
  while (!heap.empty()) {
    const auto top = heap.top();
    const auto first = waiting_for(top.artifact, kind);
    if (first.job == kNone) heap.remove_top(positions(kind));
    else if (first.order == top.order) return first.job;
    else heap.correct_top(first.order, first.job, positions(kind));
  }
  return kNone;
}

std::optional<PlaceQueue> CachePlacer::choose(const std::uint32_t (&first)[3], Time now) {
  constexpr PlaceQueue kQueues[] = {PlaceQueue::result, PlaceQueue::dependency, PlaceQueue::global};
  PlaceQueue filled[3];
  std::size_t count = 0;
  for (const auto queue : kQueues)
    if (first[static_cast<std::size_t>(queue)] != kNone) filled[count++] = queue;
  if (count == 0) return std::nullopt;
  if (settings_.pick == PickRule::random) return filled[random_.below(count)];
  // Jobs nearer to a worker's cache may come for ever; who waited for both time-outs again goes first.
  const auto head = first[static_cast<std::size_t>(PlaceQueue::global)];
  if (head != kNone && now - jobs_[head].when > settings_.cache_timeout + settings_.deps_timeout)
    return PlaceQueue::global;
  return filled[0];
}

std::optional<Placer::Pick> CachePlacer::pick(WorkerId id, Time now) {
  auto& worker = known_worker(id);
  prefetch_offers(worker);
  advance(now);
  stop_waiting(id);
  const std::uint32_t first[] = {best(worker, Kind::result), best(worker, Kind::dependency),
                                 global().front()};
  const auto queue = choose(first, now);
  if (!queue) {
    worker.waits = true;
    waiters_[index(id)].prev = last_waiter_;
    (last_waiter_ == kNone ? first_waiter_ : waiters_[last_waiter_].next) = index(id);
    last_waiter_ = index(id);
    return std::nullopt;
  }
  const auto at = first[static_cast<std::size_t>(*queue)];
  take(at, id);
  return Pick{jobs_[at].id, *queue};
}

void CachePlacer::take(std::uint32_t at, WorkerId worker) {
  leave(at);
  jobs_[at].stage = Stage::running;
  jobs_[at].worker = worker;
  append(workers_[index(worker)].running, at);
  ++running_;
}

// ---- workers that wait ----

void CachePlacer::stop_waiting(WorkerId id) {
  auto& worker = workers_[index(id)];
  if (!worker.waits) return;
  auto& link = waiters_[index(id)];
  (link.prev == kNone ? first_waiter_ : waiters_[link.prev].next) = link.next;
  (link.next == kNone ? last_waiter_ : waiters_[link.next].prev) = link.prev;
  worker.waits = false;
  link = {};
}

void CachePlacer::wake(WorkerId id) {
  if (!workers_[index(id)].waits) return;
  stop_waiting(id);
  woken_.push_back(id);
}

std::optional<WorkerId> CachePlacer::next_woken() {
  if (!global_.empty() && woken_.empty() && first_waiter_ != kNone) wake(WorkerId{first_waiter_});
  if (woken_.empty()) return std::nullopt;
  const auto id = woken_.back();
  woken_.pop_back();
  return id;
}

// ---- artifacts and workers ----

void CachePlacer::announce(ResultId id, InLine first, Kind kind) {
  for (auto holding = holdings_.first_of(id); holding != kNone; holding = holdings_.next_of_artifact(holding))
    offer(holding, first, kind);
}

void CachePlacer::offer(std::uint32_t holding, InLine first, Kind kind) {
  const auto [id, held] = holdings_[holding];
  jobs_.prefetch(first.job);
  heap_of(workers_[index(id)], kind).offer({first.order, first.job, holding, held}, positions(kind));
  wake(id);
}

void CachePlacer::add_artifact(WorkerId worker, ResultId id, Time now) {
  advance(now);
  known_worker(worker);
  const auto holding = holdings_.add(worker, id);
  if (holding == kNone) return;
  for (const auto kind : {Kind::result, Kind::dependency})
    if (const auto first = waiting_for(id, kind); first.job != kNone) offer(holding, first, kind);
}

void CachePlacer::remove_artifact(WorkerId worker, ResultId id, Time now) {
  advance(now);
  known_worker(worker);
  const auto holding = holdings_.find(worker, id);
  if (holding != kNone) forget(holding, now);
  advance(now);
}

void CachePlacer::forget(std::uint32_t holding, Time now) {
  const auto [id, held] = holdings_[holding];
  for (const auto kind : {Kind::result, Kind::dependency})
    heap_of(workers_[index(id)], kind).remove(holding, positions(kind));
  holdings_.remove(holding);
  if (!holdings_.is_held(held)) last_holder_left(held, now);
}

void CachePlacer::last_holder_left(ResultId id, Time now) {
  const auto at = artifact(id).job;
  if (at != kNone && jobs_[at].stage == Stage::cache) {
    unlink(cache_timers_, at);
    enter_dependency(at, now);
  }
  if (!settings_.skip_empty_stages) return;
  needers(artifact(id)).for_each([&](std::uint32_t need) {
    const auto job = jobs_.job_of(need);
    if (jobs_[job].stage == Stage::dependency && !has_held_need(job)) enter_global(job, now);
  });
}

std::optional<WorkerId> CachePlacer::locate(ResultId id) const {
  const auto holding = holdings_.first_of(id);
  if (holding == kNone) return std::nullopt;
  return holdings_[holding].worker;
}

std::vector<ResultId> CachePlacer::remove_worker(WorkerId id, Time now) {
  advance(now);
  std::vector<ResultId> lost;
  if (index(id) >= workers_.size() || !workers_[index(id)].is_known) return lost;
  auto& worker = workers_[index(id)];
  stop_waiting(id);
  std::erase(woken_, id);
  worker.is_known = false;
  worker.results.clear();
  worker.dependencies.clear();
  for (auto holding = holdings_.first_of(id); holding != kNone; holding = holdings_.first_of(id))
    forget(holding, now);
  for (auto at = worker.running.first; at != kNone; at = worker.running.first) {
    lost.push_back(jobs_[at].id);
    leave(at);
    wait_anew(at, now);
  }
  advance(now);
  return lost;
}

CachePlacer::Whereabouts CachePlacer::where(ResultId id) const {
  Whereabouts out;
  const auto* made = holdings_.find_extra(id);
  const auto at = made ? made->job : kNone;
  if (at == kNone || jobs_[at].stage == Stage::running) return out;
  const auto add_holders = [this](ResultId held, std::vector<WorkerId>& workers) {
    for (auto h = holdings_.first_of(held); h != kNone; h = holdings_.next_of_artifact(h))
      workers.push_back(holdings_[h].worker);
  };
  const auto& job = jobs_[at];
  add_holders(id, out.result);
  out.global = job.stage == Stage::global;
  if (job.stage == Stage::cache) return out;
  jobs_.for_each_need(at,
                      [&](std::uint32_t, const Need& need) { add_holders(need.artifact, out.dependency); });
  std::sort(out.dependency.begin(), out.dependency.end());
  out.dependency.erase(std::unique(out.dependency.begin(), out.dependency.end()), out.dependency.end());
  return out;
}

}  // namespace weir
