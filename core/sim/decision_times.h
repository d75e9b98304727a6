// How long the decision on each start took: whose turn it is, where it stands in the line, and that a worker
// takes it. Only the calls of allocator and placer are timed, each by two looks at the clock.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "core/model/placement.h"

namespace weir::sim {

class DecisionTimes {
 public:
  explicit DecisionTimes(std::size_t jobs) : admitted_us_(jobs, 0) {}

  // Calls `decide` and adds its time to the decision that is being made.
  template <class Decide>
  auto timed(Decide&& decide) {
    const auto start = Clock::now();
    struct Stop {
      DecisionTimes& self;
      Clock::time_point start;
      ~Stop() { self.now_us_ += std::chrono::duration<float, std::micro>(Clock::now() - start).count(); }
    } stop{*this, start};
    return decide();
  }
  void begin() { now_us_ = 0; }
  // The first half is over: it is with the placer.
  void job_admitted(ResultId job) { admitted_us_[index(job)] = now_us_; }
  void job_picked(ResultId job) { all_us_.push_back(now_us_ + admitted_us_[index(job)]); }

  std::vector<float>& all_us() { return all_us_; }

 private:
  using Clock = std::chrono::steady_clock;
  float now_us_ = 0;
  std::vector<float> admitted_us_;  // of the jobs with the placer
  std::vector<float> all_us_;
};

}  // namespace weir::sim
