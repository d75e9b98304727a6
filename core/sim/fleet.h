// The workers of a simulated run: which of them are slow, and when each fails and is repaired. What that
// means for jobs is the scheduler's; it is told as it is told by people, through its door.
#pragma once

#include <vector>

#include "core/base/random.h"
#include "core/base/timer_queue.h"
#include "core/base/virtual_source.h"
#include "core/scheduler/door.h"
#include "core/scheduler/workforce.h"
#include "core/sim/run_input.h"

namespace weir::sim {

class Fleet final : public VirtualSource {
 public:
  explicit Fleet(const RunInput& input);
  void report_to(Door& door) { door_ = &door; }

  std::vector<WorkerSpec> specs(Executor& executor) const;
  // How many times longer a job takes there.
  double slowness(WorkerId worker) const { return is_slow_[index(worker)] ? input_.slow_factor : 1; }

  std::optional<Time> next() const override { return timers_.next(); }
  void fire(Time now) override;

 private:
  const RunInput& input_;
  // Others than those of the builds, and slowness apart: the same builds come to the same workers with and
  // without faults.
  Random random_;
  Door* door_ = nullptr;
  std::vector<bool> is_slow_, is_down_;
  TimerQueue timers_;  // of each worker: its next failure, or its repair
};

}  // namespace weir::sim
