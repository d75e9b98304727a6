#include "core/placement/allocation.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <set>

namespace weir {

namespace {

using Counts = std::vector<std::int64_t>;

// Active classes that rounding left without a worker take one of the richest.
class TargetRepair {
 public:
  TargetRepair(Counts& target, const Weights& loads, std::span<const ClassJobs> jobs)
      : target_(target), loads_(loads), jobs_(jobs) {}

  void run() {
    bool any = false;
    for (std::size_t i = 0; i < target_.size() && !any; ++i) any = lacks(i);
    if (!any) return;
    for (std::uint32_t i = 0; i < target_.size(); ++i) offer(i);
    for (const auto taker : loads_.larger_first()) {
      if (!lacks(taker)) continue;
      if (donors_.empty()) return;
      take_for(taker);
    }
  }

 private:
  bool lacks(std::size_t i) const { return target_[i] == 0 && jobs_[i].is_active() && !loads_.is_zero(i); }

  void offer(std::uint32_t i) {
    if (target_[i] > 1 || (target_[i] == 1 && !jobs_[i].is_active())) donors_.insert({-target_[i], i});
  }

  void take_for(std::uint32_t taker) {
    const auto donor = donors_.begin()->second;
    donors_.erase(donors_.begin());
    --target_[donor];
    offer(donor);
    target_[taker] = 1;
  }

  Counts& target_;
  const Weights& loads_;
  const std::span<const ClassJobs> jobs_;
  std::set<std::pair<std::int64_t, std::uint32_t>> donors_;  // largest target first, then as named
};

// One tick's starts, phase by phase out of what is idle.
class Starts {
 public:
  Starts(std::int64_t idle, const Weights& loads, std::span<const std::int64_t> target,
         std::span<const ClassJobs> jobs)
      : left_(idle), loads_(loads), target_(target), jobs_(jobs), started_(jobs.size(), 0) {}

  void entitle() {
    Counts lack(jobs_.size(), 0);
    std::vector<Demand> demands(jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].waiting == 0 || jobs_[i].running >= target_[i]) continue;
      lack[i] = target_[i] - jobs_[i].running;
      demands[i].cap = std::min(jobs_[i].waiting, lack[i]);
    }
    give(Weights::of(lack), demands);
  }

  void lend(Loans loans) {
    std::vector<Demand> demands(jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      demands[i].cap = jobs_[i].waiting - started_[i];
      if (loans == Loans::accounted)
        demands[i].held = std::max<std::int64_t>(0, jobs_[i].running + started_[i] - target_[i]);
    }
    give(loads_, demands);
  }

  void fill_background() {
    std::vector<Demand> demands(jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (loads_.is_zero(i)) demands[i].cap = jobs_[i].waiting;
    give(Weights::equal(jobs_.size()), demands);
  }

  Counts take() { return std::move(started_); }

 private:
  void give(const Weights& weights, std::span<const Demand> demands) {
    if (left_ == 0) return;
    const auto given = share(left_, weights, demands);
    for (std::size_t i = 0; i < given.size(); ++i) {
      started_[i] += given[i];
      left_ -= given[i];
    }
  }

  std::int64_t left_;
  const Weights& loads_;
  const std::span<const std::int64_t> target_;
  const std::span<const ClassJobs> jobs_;
  Counts started_;
};

std::int64_t spread_of(const Weights& loads, std::span<const std::int64_t> target,
                       std::span<const ClassJobs> jobs) {
  std::int64_t high = 0, low = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (loads.is_zero(i) || !counts_for_spread(target[i], jobs[i])) continue;
    high = std::max(high, target[i] - jobs[i].running);
    low = std::min(low, target[i] - jobs[i].running);
  }
  return high - low;
}

void rebalance(const AllocationInput& input, const Weights& loads, Allocation& out) {
  const auto wanted = from_scratch(input.idle, input.loans, loads, out.target, input.jobs);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    out.start[i] = std::max<std::int64_t>(0, wanted[i] - input.jobs[i].running);
    out.stop[i] = std::max<std::int64_t>(0, input.jobs[i].running - wanted[i]);
  }
  out.rebalanced = true;
}

}  // namespace

std::vector<std::int64_t> targets(std::int64_t workers, const Weights& loads,
                                  std::span<const ClassJobs> jobs) {
  const std::vector<Demand> unlimited(jobs.size(), Demand{workers, 0});
  auto target = share(workers, loads, unlimited);
  TargetRepair(target, loads, jobs).run();
  return target;
}

std::vector<std::int64_t> starts(std::int64_t idle, Loans loans, const Weights& loads,
                                 std::span<const std::int64_t> target, std::span<const ClassJobs> jobs) {
  Starts phases(idle, loads, target, jobs);
  phases.entitle();
  phases.lend(loans);
  phases.fill_background();
  return phases.take();
}

std::vector<std::int64_t> from_scratch(std::int64_t idle, Loans loans, const Weights& loads,
                                       std::span<const std::int64_t> target,
                                       std::span<const ClassJobs> jobs) {
  std::vector<ClassJobs> all(jobs.begin(), jobs.end());
  for (auto& one : all) {
    idle += one.running;
    one.waiting += one.running;
    one.running = 0;
  }
  return starts(idle, loans, loads, target, all);
}

std::int64_t least_spread_above(const Decimal& threshold, std::int64_t workers) {
  using Big = boost::multiprecision::cpp_int;
  // spread * 100 > threshold * workers
  Big numerator = workers, denominator = 100;
  if (threshold.is_zero()) return 1;
  numerator *= Big(threshold.digits());
  (threshold.exponent() < 0 ? denominator : numerator) *=
      boost::multiprecision::pow(Big(10), std::abs(threshold.exponent()));
  const Big least = numerator / denominator + 1;
  return least > kMostCount ? kMostCount * 2 : static_cast<std::int64_t>(least);
}

Allocation allocate(const AllocationInput& input) {
  const auto loads = Weights::of(input.loads);
  Allocation out;
  out.target = targets(input.workers, loads, input.jobs);
  out.stop.assign(input.jobs.size(), 0);
  if (input.workers > 0) out.spread = spread_of(loads, out.target, input.jobs);
  out.start = starts(input.idle, input.loans, loads, out.target, input.jobs);
  if (input.over_for_long && out.spread >= least_spread_above(input.threshold, input.workers))
    rebalance(input, loads, out);
  return out;
}

}  // namespace weir
