// The workers of a run: how many jobs each may run at once, through which executor, and in what health it is.
// Which job goes where is the placer's; this only knows what there is room for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/circuit_breaker.h"
#include "core/base/timer_queue.h"
#include "core/model/executor.h"
#include "core/model/ids.h"
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
  std::vector<JobId> jobs = {};  // that it runs, in no order
  TimerQueue::Id breaker_timer = TimerQueue::Id::none;
  std::string_view told = {};  // the state that was reported last

  std::int64_t busy() const { return static_cast<std::int64_t>(jobs.size()); }
  bool usable() const { return state == State::up && health.state() != CircuitBreaker::State::open; }
  bool has_room() const { return usable() && busy() < slots; }
  // For people: up, draining, drained, gone, or broken while its circuit breaker keeps jobs off it.
  std::string_view state_name() const;
};

class Workforce {
 public:
  Workforce(std::vector<WorkerSpec> specs, const Clock& clock, CircuitBreaker::Limits breaker);

  std::size_t size() const { return workers_.size(); }
  const Worker& operator[](WorkerId id) const { return workers_[index(id)]; }
  std::optional<WorkerId> find(std::string_view name) const;
  // The one way to change a worker: the sums below follow, and nobody has to look at ten thousand workers
  // when a job ends. A breaker that closes by time alone is no change that is seen here: whoever has its
  // timer calls this.
  template <class How>
  decltype(auto) change(WorkerId id, How&& how) {
    const Recount recount{*this, id};
    return how(workers_[index(id)]);
  }
  void bring_back(WorkerId id);
  void start(WorkerId id, JobId job);
  void end(WorkerId id, JobId job);

  // Places for jobs: those of workers that can be used, and those in use on others.
  std::int64_t places() const { return sums_.places; }
  std::int64_t idle() const { return sums_.idle; }
  std::int64_t busy() const { return sums_.busy; }
  bool any_usable() const { return sums_.usable > 0; }

 private:
  struct Sums {
    std::int64_t places = 0, idle = 0, busy = 0, usable = 0;
  };
  struct Recount {
    Workforce& workforce;
    WorkerId id;
    ~Recount() { workforce.recount(id); }
  };
  void recount(WorkerId id);

  std::vector<Worker> workers_;
  std::vector<Sums> counted_;  // what each worker has in the sums
  Sums sums_;
};

}  // namespace weir
