// Workers of a run: what people tell them, and what is told of them.
#include <algorithm>

#include "core/scheduler/scheduler.h"

namespace weir {

Result<WorkerId> Scheduler::find_worker(std::string_view name) const {
  if (!placing_)
    return fail(Reason::usage, "this run has no workers of its own: all jobs run on this machine",
                "declare them as [[worker]] in weir.toml; weir ctl suspend holds all jobs");
  if (const auto found = placing_->workers.find(name)) return *found;
  std::vector<std::string> names;
  for (std::uint32_t w = 0; w < placing_->workers.size(); ++w)
    names.push_back(placing_->workers[WorkerId{w}].name);
  return fail(Reason::usage, fmt::format("there is no worker \"{}\"", name),
              fmt::format("there are {}", fmt::join(names, ", ")));
}

// For events; nothing where any of several would do.
std::string_view Scheduler::place_name() const {
  if (!placing_) return options_.worker;
  return placing_->workers.size() == 1 ? std::string_view(placing_->workers[WorkerId{0}].name)
                                       : std::string_view();
}

void Scheduler::order_worker(WorkerId id, WorkerOrder order) {
  switch (order) {
    case WorkerOrder::drain: drain_worker(id); break;
    case WorkerOrder::remove: remove_worker(id); break;
    case WorkerOrder::lose: lose_worker(id); break;
    case WorkerOrder::bring_back: bring_back(id); break;
  }
  recount_places();
  report_worker(id);
}

void Scheduler::drain_worker(WorkerId id) {
  placing_->workers.change(id, [](Worker& worker) {
    if (worker.state == Worker::State::up) worker.state = Worker::State::draining;
  });
  let_go(id);
}

// Its jobs are stopped as for the sake of others: once they have ended they run elsewhere, charged no
// attempt.
void Scheduler::remove_worker(WorkerId id) {
  const auto& worker = placing_->workers[id];
  if (worker.state == Worker::State::gone) return;
  placing_->workers.change(id, [](Worker& one) { one.state = Worker::State::gone; });
  for (const auto job : worker.jobs) preempt(job);
  let_go(id);
}

// It does not answer any more, so neither will its jobs.
void Scheduler::lose_worker(WorkerId id) {
  const auto& worker = placing_->workers[id];
  if (worker.state == Worker::State::gone && worker.jobs.empty()) return;
  placing_->workers.change(id, [](Worker& one) { one.state = Worker::State::gone; });
  auto lost = worker.jobs;
  std::sort(lost.begin(), lost.end());
  for (const auto job : lost) declare_lost(*running(job), fmt::format("its worker {} is gone", worker.name));
  let_go(id);
}

// No job may wait for a worker that takes none. What one that is drained holds is put aside until it is
// brought back; who is gone is forgotten with its last job.
void Scheduler::let_go(WorkerId id) {
  auto& placer = placing_->placer;
  const auto& worker = placing_->workers[id];
  if (worker.state == Worker::State::gone && worker.jobs.empty()) placer.remove_worker(id, now_);
  if (worker.state != Worker::State::draining) return;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    const ResultId artifact{i};
    if (!placer.holds(id, artifact)) continue;
    placer.remove_artifact(id, artifact, now_);
    placing_->aside[index(id)].push_back(artifact);
  }
}

void Scheduler::bring_back(WorkerId id) {
  const bool was_gone = placing_->workers[id].state == Worker::State::gone;
  placing_->workers.bring_back(id);
  if (was_gone) placing_->placer.add_worker(id);
  auto aside = placing_->aside.extract(index(id));
  if (!was_gone && !aside.empty())
    for (const auto artifact : aside.mapped()) placing_->placer.add_artifact(id, artifact, now_);
  placing_->hungry.push_back(id);
}

void Scheduler::worker_cooled_down(WorkerId id) {
  placing_->workers.change(id, [](Worker& worker) { worker.breaker_timer = TimerQueue::Id::none; });
  placing_->hungry.push_back(id);
  recount_places();
  report_worker(id);
}

void Scheduler::report_worker(WorkerId id) {
  const auto& worker = placing_->workers[id];
  if (worker.told == worker.state_name()) return;
  placing_->workers.change(id, [](Worker& one) { one.told = one.state_name(); });
  events_.emit([&] {
    return event::WorkerState{worker.name, worker.state_name(), worker.slots, worker.busy()};
  });
  report_standstill();
}

void Scheduler::report_standstill() {
  const bool stands_still = !placing_->workers.any_usable();
  if (std::exchange(placing_->told_of_standstill, stands_still) == stands_still || !stands_still) return;
  events_.emit([&] {
    return event::Diagnostic{
        "warning",
        "no worker takes jobs: each is drained, gone or broken; weir ctl status shows them, and "
        "weir ctl worker return NAME lets one go on"};
  });
}

}  // namespace weir
