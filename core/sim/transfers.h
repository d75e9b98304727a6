// What workers have to get before a job can run. Looked at when a worker picks the job, since from then on it
// counts as a holder of all inputs; inputs come one after the other through the worker's own link.
#pragma once

#include "core/base/assert.h"
#include "core/sim/run_figures.h"
#include "core/sim/sim_time.h"
#include "core/sim/workload.h"

namespace weir::sim {

class Transfers {
 public:
  Transfers(const RunInput& input, const Workload& workload) : input_(input), workload_(workload) {}

  struct Taken {
    WorkerId worker = kNoWorker;
    ElementId element = kNoElement;
    double bytes_to_get = 0;
  };

  void job_picked(WorkerId worker, ElementId element, const Placer& placer) {
    last_ = {worker, element, 0};
    for (const auto needed : workload_.graph().build_dependencies(element)) {
      ++inputs_;
      if (placer.holds(worker, ResultId{index(needed)})) {
        ++held_;
      } else {
        last_.bytes_to_get += workload_.job(needed).bytes;
      }
    }
    bytes_ += last_.bytes_to_get;
  }
  // A scheduler starts what was picked before it lets anyone pick again.
  const Taken& taken(ElementId element) const {
    WEIR_ASSERT(last_.element == element, "job {} starts and {} was picked", index(element),
                index(last_.element));
    return last_;
  }
  Duration time_for(double bytes) const {
    return input_.bandwidth_bytes_per_s > 0 ? from_seconds(bytes / input_.bandwidth_bytes_per_s)
                                            : Duration::zero();
  }

  void sum_up(RunFigures& figures) const {
    figures.bytes_moved = bytes_;
    figures.cache_hit = inputs_ > 0 ? static_cast<double>(held_) / static_cast<double>(inputs_) : 0;
  }

 private:
  const RunInput& input_;
  const Workload& workload_;
  Taken last_;
  std::uint64_t inputs_ = 0, held_ = 0;
  double bytes_ = 0;
};

}  // namespace weir::sim
