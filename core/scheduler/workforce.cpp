#include "core/scheduler/workforce.h"

#include <algorithm>

namespace weir {

std::string_view Worker::state_name() const {
  switch (state) {
    case State::draining: return busy > 0 ? "draining" : "drained";
    case State::gone: return "gone";
    case State::up: break;
  }
  return health.state() == CircuitBreaker::State::open ? "broken" : "up";
}

Workforce::Workforce(std::vector<WorkerSpec> specs, const Clock& clock, CircuitBreaker::Limits breaker) {
  for (auto& spec : specs)
    workers_.push_back({std::move(spec.name), spec.slots, spec.executor, CircuitBreaker(clock, breaker)});
}

std::optional<WorkerId> Workforce::find(std::string_view name) const {
  const auto found = std::find_if(workers_.begin(), workers_.end(), [&](const Worker& worker) { return worker.name == name; });
  if (found == workers_.end()) return std::nullopt;
  return WorkerId{static_cast<std::uint32_t>(found - workers_.begin())};
}

// What it did wrong before it went is forgiven.
void Workforce::bring_back(WorkerId id) {
  auto& worker = workers_[index(id)];
  if (worker.state == Worker::State::gone) worker.health.reset();
  worker.state = Worker::State::up;
}

std::int64_t Workforce::places() const {
  std::int64_t all = 0;
  for (const auto& worker : workers_) all += worker.usable() ? std::max(worker.slots, worker.busy) : worker.busy;
  return all;
}

std::int64_t Workforce::idle() const {
  std::int64_t all = 0;
  for (const auto& worker : workers_)
    if (worker.has_room()) all += worker.slots - worker.busy;
  return all;
}

bool Workforce::any_usable() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.usable(); });
}

}  // namespace weir
