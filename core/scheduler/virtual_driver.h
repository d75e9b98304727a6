// Runs a scheduler on virtual time: steps it, then moves the clock to the next moment at which the scheduler
// or one of the sources has something to do. Nothing sleeps; a run of years takes as long as its decisions.
#pragma once

#include <functional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/virtual_source.h"
#include "core/scheduler/scheduler.h"

namespace weir {

class VirtualDriver {
 public:
  VirtualDriver(Scheduler& scheduler, VirtualClock& clock, std::vector<VirtualSource*> sources)
      : scheduler_(scheduler), clock_(clock), sources_(std::move(sources)) {}

  // Calls `what` when the clock reaches `at` (time since the clock's zero).
  void at(Duration at, std::function<void()> what);
  // To the end of the run. False if nothing more can happen though the run is not over.
  bool run();

 private:
  struct Planned {
    Time at;
    std::function<void()> what;
  };
  std::optional<Time> next_moment(std::optional<Time> deadline) const;

  Scheduler& scheduler_;
  VirtualClock& clock_;
  std::vector<VirtualSource*> sources_;
  std::vector<Planned> planned_;  // latest first
};

}  // namespace weir
