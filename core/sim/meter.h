// What is measured while a simulated run goes on: how many jobs of each class run and wait, for how long, and
// what that says of shares and places. First among the sources of its driver: what was so until now is
// counted before anything happens now.
#pragma once

#include <vector>

#include "core/base/virtual_source.h"
#include "core/placement/share.h"
#include "core/sim/run_figures.h"
#include "core/sim/workload.h"

namespace weir::sim {

class Meter final : public VirtualSource {
 public:
  Meter(const RunInput& input, const Workload& workload);

  void set_places(std::int64_t places);  // that are there now
  void job_waits(ClassId work_class) { ++waiting_[index(work_class)]; }
  void job_starts(ElementId element, Time now);
  // However it ended.
  void job_ends(ElementId element, Time now);

  std::optional<Time> next() const override { return std::nullopt; }
  void fire(Time now) override;

  void sum_up(RunFigures& figures) const;
  const Timeline& timeline() const { return timeline_; }
  std::vector<std::vector<float>>& wait_s() { return wait_s_; }

 private:
  Time ready_since(ElementId element) const;
  std::int64_t lack(std::size_t c) const;
  void note_lack(double passed_s);

  const Workload& workload_;
  const std::int64_t all_places_;
  const Weights weights_;
  std::int64_t places_ = 0;
  std::vector<std::int64_t> target_, running_, waiting_;  // by class
  std::vector<Time> ended_;                               // by element: its last end
  std::vector<std::vector<float>> wait_s_;                // by class, of each start
  Time counted_{};                                        // until when
  double busy_s_ = 0, worst_lack_s_ = 0;
  std::vector<double> lack_s_;  // by class, as parts of all places
  Timeline timeline_;
};

}  // namespace weir::sim
