#include "core/sim/meter.h"

#include <algorithm>

#include "core/placement/allocation.h"
#include "core/sim/sim_time.h"

namespace weir::sim {

namespace {

Weights weights_of(const RunInput& input) {
  std::vector<Decimal> loads;
  for (const auto& one : input.loads.classes) loads.push_back(one.load);
  return Weights::of(loads);
}

}  // namespace

Meter::Meter(const RunInput& input, const Workload& workload)
    : workload_(workload),
      all_places_(input.places()),
      weights_(weights_of(input)),
      running_(weights_.size(), 0),
      waiting_(weights_.size(), 0),
      ended_(workload.graph().size()),
      wait_s_(weights_.size()),
      lack_s_(weights_.size(), 0),
      timeline_(weights_.size()) {
  set_places(all_places_);
}

void Meter::set_places(std::int64_t places) {
  if (places == places_) return;
  places_ = places;
  target_ = targets(places, weights_, std::vector<ClassJobs>(weights_.size()));
}

// Since it came in, all that it needs is there, and its last start was for nothing.
Time Meter::ready_since(ElementId element) const {
  auto since = std::max(workload_.build_of(element).arrival, ended_[index(element)]);
  for (const auto needed : workload_.graph().build_dependencies(element))
    since = std::max(since, ended_[index(needed)]);
  return since;
}

void Meter::job_starts(ElementId element, Time now) {
  const auto c = index(workload_.build_of(element).work_class);
  wait_s_[c].push_back(static_cast<float>(seconds(now - ready_since(element))));
  --waiting_[c];
  ++running_[c];
}

void Meter::job_ends(ElementId element, Time now) {
  ended_[index(element)] = now;
  --running_[index(workload_.build_of(element).work_class)];
}

// Of its target, or of what it could use of it.
std::int64_t Meter::lack(std::size_t c) const {
  return std::max<std::int64_t>(0, std::min(target_[c], running_[c] + waiting_[c]) - running_[c]);
}

void Meter::note_lack(double passed_s) {
  if (places_ == 0) return;
  double worst = 0;
  for (std::size_t c = 0; c < running_.size(); ++c) {
    const auto part = static_cast<double>(lack(c)) / static_cast<double>(places_);
    lack_s_[c] += passed_s * part;
    worst = std::max(worst, part);
  }
  worst_lack_s_ += passed_s * worst;
}

void Meter::fire(Time now) {
  const double passed_s = seconds(now - counted_);
  if (passed_s <= 0) return;
  for (const auto running : running_) busy_s_ += passed_s * static_cast<double>(running);
  note_lack(passed_s);
  timeline_.add(now, running_);
  counted_ = now;
}

void Meter::sum_up(RunFigures& figures) const {
  const double makespan_s = seconds(counted_.time_since_epoch());
  const auto places = static_cast<double>(all_places_);
  figures.makespan_s = makespan_s;
  figures.bound_s = std::max(workload_.critical_path_s(), workload_.work_s() / places);
  figures.utilisation = makespan_s > 0 ? busy_s_ / (makespan_s * places) : 0;
  figures.share_error = makespan_s > 0 ? worst_lack_s_ / makespan_s : 0;
  for (const auto lack_s : lack_s_)
    figures.share_error_of.push_back(makespan_s > 0 ? lack_s / makespan_s : 0);
  figures.places = all_places_;
  const auto by_load = targets(all_places_, weights_, std::vector<ClassJobs>(weights_.size()));
  figures.target.assign(by_load.begin(), by_load.end());
}

}  // namespace weir::sim
