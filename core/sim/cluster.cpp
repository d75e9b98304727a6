#include "core/sim/cluster.h"

#include <algorithm>
#include <cmath>

#include "core/base/assert.h"
#include "core/placement/local_placer.h"
#include "core/placement/none_allocator.h"

namespace weir::sim {

namespace {

using Steady = std::chrono::steady_clock;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
Duration from_seconds(double s) { return Duration(static_cast<std::int64_t>(std::min(s, 1e9) * 1e9)); }
float micros_since(Steady::time_point start) {
  return std::chrono::duration<float, std::micro>(Steady::now() - start).count();
}

std::unique_ptr<Allocator> make_allocator(const RunInput& input) {
  if (!input.by_load) return std::make_unique<NoneAllocator>();
  auto made = LoadAllocator::make(input.loads);
  WEIR_ASSERT(made.has_value(), "settings were checked: {}", made.error().message);
  return std::move(*made);
}

std::unique_ptr<Placer> make_placer(const RunInput& input) {
  if (!input.cache_aware) return std::make_unique<LocalPlacer>();
  return std::make_unique<CachePlacer>(input.placer);
}

Weights weights_of(const RunInput& input) {
  std::vector<Decimal> loads;
  for (const auto& one : input.loads.classes) loads.push_back(one.load);
  return Weights::of(loads);
}

}  // namespace

Cluster::Cluster(const RunInput& input)
    : input_(input),
      allocator_(make_allocator(input)),
      placer_(make_placer(input)),
      random_(input.seed),
      workers_(input.workers),
      builds_(input.builds),
      started_by_class_(input.loads.classes.size()),
      running_(input.loads.classes.size(), 0),
      waiting_(input.loads.classes.size(), 0),
      weights_(weights_of(input)),
      timeline_(input.loads.classes.size()) {
  figures_.wait_s.resize(input.loads.classes.size());
  for (const auto& one : input.loads.classes) figures_.classes.push_back(one.name);
  prepare_workers();
  prepare_arrivals();
}

void Cluster::prepare_workers() {
  places_ = input_.places();
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    workers_[w].free = input_.slots;
    workers_[w].is_slow = random_.chance(input_.slow_fraction);
    placer_->add_worker(WorkerId{w});
    if (input_.worker_mtbf_s > 0) at(now_ + exponential(input_.worker_mtbf_s), Kind::failure, w);
  }
  count_places();
  figures_.places = places_;
  figures_.target.assign(target_.begin(), target_.end());
}

void Cluster::prepare_arrivals() {
  double total = 0;
  for (const auto share : input_.share) total += share;
  Time arrival{};
  for (std::uint32_t b = 0; b < input_.builds; ++b) {
    double point = random_.real() * total;
    std::uint32_t c = 0;
    while (c + 1 < input_.share.size() && (point >= input_.share[c] || input_.share[c] == 0))
      point -= input_.share[c++];
    class_of_build_.push_back(ClassId{c});
    at(arrival, Kind::arrival, b);
    arrival += exponential(input_.arrival_s);
  }
  builds_left_ = input_.builds;
}

Duration Cluster::exponential(double mean_s) { return from_seconds(-mean_s * std::log(1 - random_.real())); }

void Cluster::at(Time time, Kind kind, std::uint32_t id, std::uint32_t start) {
  events_.push({time, next_order_++, id, start, kind});
}

// ---- the loop ----

// A hundred starts for each job, and some for a few jobs with bad luck.
bool Cluster::is_hopeless() const {
  return figures_.lost_and_rerun >
         10'000 + 100 * static_cast<std::uint64_t>(input_.builds) * input_.jobs_each;
}

bool Cluster::run() {
  for (std::uint32_t w = 0; w < workers_.size(); ++w) let_pick(WorkerId{w});  // they wait from now on
  while (builds_left_ > 0) {
    if (is_hopeless()) return false;
    const auto next = next_moment();
    WEIR_ASSERT(next.has_value(), "{} builds wait for nothing", builds_left_);
    move_clock(*next);
    apply_due();
    placer_->advance(now_);
    settle();
  }
  figures_.makespan_s = seconds(now_.time_since_epoch());
  figures_.bound_s = std::max(critical_s_, work_s_ / static_cast<double>(input_.places()));
  const double all = figures_.makespan_s * static_cast<double>(input_.places());
  figures_.utilisation = all > 0 ? busy_s_ / all : 0;
  figures_.share_error = figures_.makespan_s > 0 ? error_s_ / figures_.makespan_s : 0;
  figures_.cache_hit = inputs_ > 0 ? static_cast<double>(inputs_held_) / static_cast<double>(inputs_) : 0;
  return true;
}

std::optional<Time> Cluster::next_moment() const {
  std::optional<Time> next;
  const auto consider = [&](std::optional<Time> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (!events_.empty()) consider(events_.top().at);
  consider(placer_->next_timer());
  // One that is due already was asked for when the last thing happened.
  if (const auto check = allocator_->next_check(); check && *check > now_) consider(check);
  return next;
}

void Cluster::move_clock(Time to) {
  const double passed = seconds(to - now_);
  if (passed > 0) {
    std::int64_t all = 0, worst = 0;
    for (std::size_t c = 0; c < running_.size(); ++c) {
      all += running_[c];
      worst = std::max(worst, std::min(target_[c], running_[c] + waiting_[c]) - running_[c]);
    }
    busy_s_ += passed * static_cast<double>(all);
    if (places_ > 0) error_s_ += passed * static_cast<double>(worst) / static_cast<double>(places_);
    timeline_.add(to, running_);
  }
  now_ = std::max(now_, to);
}

void Cluster::apply_due() {
  while (!events_.empty() && events_.top().at <= now_) {
    const auto event = events_.top();
    events_.pop();
    apply(event);
  }
}

void Cluster::apply(const Event& event) {
  switch (event.kind) {
    case Kind::arrival: arrive(event.id); break;
    case Kind::failure: fail(WorkerId{event.id}); break;
    case Kind::repair: repair(WorkerId{event.id}); break;
    case Kind::job_end: {
      const ResultId id{event.id};
      // Stopped, or lost with its worker: this end is of a start that does not count any more.
      if (!builds_[index(build_id(id))] || job(id).start != event.start) break;
      const auto worker = job(id).worker;
      end(id);
      admit();
      let_pick(worker);
    }
  }
}

void Cluster::settle() {
  for (const auto& stop : allocator_->to_stop(now_)) preempt(stop);
  admit();
  for (const auto worker : std::exchange(freed_, {})) let_pick(worker);
  while (const auto woken = placer_->next_woken()) let_pick(*woken);
}

// ---- jobs ----

void Cluster::arrive(std::uint32_t b) {
  Random seeds(input_.seed ^ (0x9e3779b97f4a7c15ULL * (b + 1)));
  builds_[b] =
      std::make_unique<SimBuild>(input_, class_of_build_[b], ResultId{b * input_.jobs_each}, seeds.next());
  auto& build = *builds_[b];
  critical_s_ = std::max(critical_s_, seconds(now_.time_since_epoch() + build.critical_path()));
  work_s_ += seconds(build.work());
  for (std::uint32_t i = 0; i < build.size(); ++i)
    if (build[build.id(i)].blockers == 0) make_ready(build.id(i));
}

void Cluster::make_ready(ResultId id) {
  auto& build = build_of(id);
  build[id].state = SimBuild::State::ready;
  build[id].since = now_;
  build.push_ready(id);
  ++waiting_[index(build.work_class())];
  allocator_->job_waiting(build.work_class(), build_id(id));
}

// As many jobs go to the placer as there are free places, and what it may look ahead.
void Cluster::admit() {
  for (;;) {
    const auto clock = Steady::now();
    const auto next = allocator_->next();
    if (!next) return;
    auto& build = *builds_[index(next->build)];
    const auto id = build.pop_ready();
    allocator_->job_started(next->work_class, next->build);
    ++started_;
    auto& one = build[id];
    one.state = SimBuild::State::placed;
    one.start = ++next_start_;
    started_by_class_[index(next->work_class)].push_back({id, one.start});
    placer_->schedule(id, build.deps(id), now_);
    if (admit_us_of_.size() <= index(id)) admit_us_of_.resize(index(id) + std::size_t{1}, 0);
    admit_us_of_[index(id)] = micros_since(clock);
  }
}

void Cluster::let_pick(WorkerId worker) {
  auto& one = workers_[index(worker)];
  while (one.is_up && one.free > 0) {
    const auto clock = Steady::now();
    const auto picked = placer_->pick(worker, now_);
    if (!picked) return;
    figures_.decision_us.push_back(micros_since(clock) + admit_us_of_[index(picked->job)]);
    ++figures_.decisions;
    start(picked->job, worker);
  }
}

void Cluster::start(ResultId id, WorkerId worker) {
  auto& build = build_of(id);
  auto& one = build[id];
  const auto c = index(build.work_class());
  figures_.wait_s[c].push_back(static_cast<float>(seconds(now_ - one.since)));
  one.state = SimBuild::State::running;
  one.worker = worker;
  --workers_[index(worker)].free;
  --waiting_[c];
  ++running_[c];
  const auto moving = move_inputs(id, worker);
  const auto slowness = workers_[index(worker)].is_slow ? input_.slow_factor : 1;
  at(now_ + moving + from_seconds(seconds(one.duration) * slowness), Kind::job_end, index(id), one.start);
}

// One after the other through the worker's own link.
Duration Cluster::move_inputs(ResultId id, WorkerId worker) {
  auto& build = build_of(id);
  double bytes = 0;
  for (const auto dep : build.deps(id)) {
    ++inputs_;
    if (placer_->holds(worker, dep)) {
      ++inputs_held_;
      continue;
    }
    bytes += build[dep].bytes;
    placer_->add_artifact(worker, dep, now_);
  }
  figures_.bytes_moved += bytes;
  return input_.bandwidth_bytes_per_s > 0 ? from_seconds(bytes / input_.bandwidth_bytes_per_s)
                                          : Duration::zero();
}

void Cluster::end(ResultId id) {
  auto& build = build_of(id);
  const auto work_class = build.work_class();
  placer_->complete(build[id].worker, id, true, now_);
  allocator_->job_ended(work_class, build_id(id));
  ++workers_[index(build[id].worker)].free;
  --running_[index(work_class)];
  --started_;
  ++figures_.jobs;
  build[id].start = 0;
  drop_inputs(id);
  if (started_ + 1 > most_started()) count_places();
  if (!build.finish(id, [this](ResultId ready) { make_ready(ready); })) return;
  builds_[index(build_id(id))].reset();
  --builds_left_;
}

// What no other job will ask for is not kept: it would only fill the tables.
void Cluster::drop_inputs(ResultId id) {
  auto& build = build_of(id);
  for (const auto dep : build.deps(id))
    if (build.drop_use(dep)) forget(dep);
  if (build[id].users == 0) forget(id);
}

void Cluster::forget(ResultId artifact) {
  while (const auto holder = placer_->locate(artifact)) placer_->remove_artifact(*holder, artifact, now_);
}

// ---- what goes wrong ----

void Cluster::preempt(const Allocator::Stop& stop) {
  auto& started = started_by_class_[index(stop.work_class)];
  for (auto left = stop.jobs; left > 0 && !started.empty(); started.pop_back()) {
    const auto [id, start] = started.back();
    if (!builds_[index(build_id(id))] || job(id).start != start) continue;
    --left;
    ++figures_.preempted;
    requeue(id);
  }
  count_places();
}

// It waits for the allocator again. A worker that ran it has a free place.
void Cluster::requeue(ResultId id) {
  auto& build = build_of(id);
  auto& one = build[id];
  const auto c = index(build.work_class());
  placer_->withdraw(id, now_);
  if (one.state == SimBuild::State::running) {
    --running_[c];
    ++waiting_[c];
    ++workers_[index(one.worker)].free;
    freed_.push_back(one.worker);
  }
  one.state = SimBuild::State::ready;
  one.start = 0;
  one.since = now_;
  build.push_ready(id);
  allocator_->job_requeued(build.work_class(), build_id(id));
  --started_;
}

void Cluster::fail(WorkerId worker) {
  auto& one = workers_[index(worker)];
  one.is_up = false;
  places_ -= input_.slots;
  for (const auto lost : placer_->remove_worker(worker, now_)) {
    ++figures_.lost_and_rerun;
    requeue(lost);
  }
  count_places();
  at(now_ + from_seconds(input_.repair_s), Kind::repair, index(worker));
}

void Cluster::repair(WorkerId worker) {
  auto& one = workers_[index(worker)];
  one.is_up = true;
  one.free = input_.slots;
  places_ += input_.slots;
  placer_->add_worker(worker);
  count_places();
  at(now_ + exponential(input_.worker_mtbf_s), Kind::failure, index(worker));
  freed_.push_back(worker);
}

std::int64_t Cluster::most_started() const {
  return places_ + static_cast<std::int64_t>(input_.lookahead * static_cast<double>(places_));
}

// More jobs may be with the placer than there are places, right after a worker failed; nobody is idle then.
void Cluster::count_places() {
  allocator_->set_workers(places_, std::max<std::int64_t>(0, most_started() - started_));
  target_ = targets(places_, weights_, std::vector<ClassJobs>(weights_.size()));
}

}  // namespace weir::sim
