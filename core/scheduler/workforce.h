// The workers of a run: how many jobs each may run at once, through which executor, and in what health it is. Which job
// goes where is the placer's; this only knows what there is room for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/circuit_breaker.h"
#include "core/base/timer_queue.h"
#include "core/model/executor.h"
#include "core/model/placement.h"

namespace weir {

struct WorkerSpec {
  std::string name;
  std::int64_t slots = 1;
  Executor* executor = nullptr;
};

struct Worker {
  enum class State : std::uint8_t { up, draining, gone };
  std::string name;
  std::int64_t slots;
  Executor* executor;
  CircuitBreaker health;
  State state = State::up;
  std::int64_t busy = 0;
  TimerQueue::Id breaker_timer = TimerQueue::Id::none;
  std::string_view told;  // the state that was reported last

  bool usable() const { return state == State::up && health.state() != CircuitBreaker::State::open; }
  bool has_room() const { return usable() && busy < slots; }
  // For people: up, draining, drained, gone, or broken while its circuit breaker keeps jobs off it.
  std::string_view state_name() const;
};

class Workforce {
 public:
  Workforce(std::vector<WorkerSpec> specs, const Clock& clock, CircuitBreaker::Limits breaker);

  std::size_t size() const { return workers_.size(); }
  Worker& operator[](WorkerId id) { return workers_[index(id)]; }
  const Worker& operator[](WorkerId id) const { return workers_[index(id)]; }
  std::optional<WorkerId> find(std::string_view name) const;
  void bring_back(WorkerId id);

  // Places for jobs: those of workers that can be used, and those in use on others.
  std::int64_t places() const;
  std::int64_t idle() const;
  bool any_usable() const;

 private:
  std::vector<Worker> workers_;
};

}  // namespace weir
