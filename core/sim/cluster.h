// A whole cluster on virtual time: the product's scheduler with its allocator and placer, over simulated
// jobs, workers and builds that arrive. Nothing is decided here; figures come from what is observed.
//
//   Arrivals --Submit--> door <--OrderWorker-- Fleet
//                         |
//   ObservedAllocator <- Scheduler -> ObservedPlacer -> Transfers (what is picked, and what of it is not
//   there)
//                         |                                |
//                         +-----------> SimExecutor <------+   all of them -> Meter
//
// Results are pushed when they are made: a worker that fails takes with it what it runs and what it holds,
// and the next who needs an artifact that nobody holds gets it from the store, as far away as any worker.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/placement/cache_placer.h"
#include "core/scheduler/scheduler.h"
#include "core/scheduler/virtual_driver.h"
#include "core/sim/arrivals.h"
#include "core/sim/fleet.h"
#include "core/sim/observed_allocator.h"
#include "core/sim/observed_placer.h"
#include "core/sim/sim_executor.h"

namespace weir::sim {

class Cluster {
 public:
  explicit Cluster(const RunInput& input);
  // To the end of the last job. An error if that never comes.
  Status run();
  RunFigures take_figures();
  const Timeline& timeline() const { return meter_.timeline(); }

 private:
  // Ends a run that would take longer than the clock can count.
  class EndOfTime final : public VirtualSource {
   public:
    explicit EndOfTime(Door& door) : door_(door) {}
    std::optional<Time> next() const override;
    void fire(Time now) override;
    bool is_reached() const { return is_reached_; }

   private:
    Door& door_;
    bool is_reached_ = false;
  };
  Row make_row();

  const RunInput& input_;
  VirtualClock clock_;
  Fleet fleet_;
  Workload workload_;
  Meter meter_;
  Transfers transfers_;
  DecisionTimes times_;
  SimExecutor executor_;
  std::unique_ptr<Allocator> allocator_;
  std::unique_ptr<Placer> placer_;
  ObservedAllocator observed_allocator_;
  ObservedPlacer observed_placer_;

  Ledger ledger_;
  Lanes lanes_;
  Row row_;
  Emitter events_;  // nobody listens
  PlacementParts placement_;
  Scheduler scheduler_;
  Arrivals arrivals_;
  EndOfTime end_of_time_;
};

}  // namespace weir::sim
