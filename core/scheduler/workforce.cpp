#include "core/scheduler/workforce.h"

#include <algorithm>

#include "core/base/assert.h"

namespace weir {

std::string_view Worker::state_name() const {
  switch (state) {
    case State::draining: return busy() > 0 ? "draining" : "drained";
    case State::gone: return "gone";
    case State::up: break;
  }
  return health.state() == CircuitBreaker::State::open ? "broken" : "up";
}

Workforce::Workforce(std::vector<WorkerSpec> specs, const Clock& clock, CircuitBreaker::Limits breaker) {
  for (auto& spec : specs)
    workers_.push_back({std::move(spec.name), spec.slots, spec.executor, CircuitBreaker(clock, breaker)});
  counted_.resize(workers_.size());
  for (std::uint32_t w = 0; w < workers_.size(); ++w) recount(WorkerId{w});
}

std::optional<WorkerId> Workforce::find(std::string_view name) const {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const Worker& worker) { return worker.name == name; });
  if (found == workers_.end()) return std::nullopt;
  return WorkerId{static_cast<std::uint32_t>(found - workers_.begin())};
}

void Workforce::recount(WorkerId id) {
  const auto& worker = workers_[index(id)];
  const auto busy = worker.busy();
  const bool usable = worker.usable();
  const Sums now{usable ? std::max(worker.slots, busy) : busy, worker.has_room() ? worker.slots - busy : 0,
                 busy, usable};
  auto& before = counted_[index(id)];
  sums_.places += now.places - before.places;
  sums_.idle += now.idle - before.idle;
  sums_.busy += now.busy - before.busy;
  sums_.usable += now.usable - before.usable;
  before = now;
}

// What it did wrong before it went is forgiven.
void Workforce::bring_back(WorkerId id) {
  change(id, [](Worker& worker) {
    if (worker.state == Worker::State::gone) worker.health.reset();
    worker.state = Worker::State::up;
  });
}

void Workforce::start(WorkerId id, JobId job) {
  change(id, [&](Worker& worker) { worker.jobs.push_back(job); });
}

void Workforce::end(WorkerId id, JobId job) {
  change(id, [&](Worker& worker) {
    const auto found = std::find(worker.jobs.begin(), worker.jobs.end(), job);
    WEIR_ASSERT(found != worker.jobs.end(), "job {} does not run on {}", index(job), worker.name);
    *found = worker.jobs.back();
    worker.jobs.pop_back();
  });
}

}  // namespace weir
