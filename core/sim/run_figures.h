// What is measured in a simulated run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace weir::sim {

// How many places each class has had over time, in at most 512 steps of equal length; the steps get longer as
// time goes on.
class Timeline {
 public:
  explicit Timeline(std::size_t classes) : classes_(classes) {}
  // `running` from the end of the last call until `now`.
  void add(Time now, const std::vector<std::int64_t>& running);

  double step_s() const { return step_s_; }
  std::size_t steps() const { return seconds_.size() / classes_; }
  // Places of the class in that step, on average.
  double places(std::size_t step, std::size_t c) const { return seconds_[step * classes_ + c] / step_s_; }

 private:
  static constexpr std::size_t kMostSteps = 512;
  void merge();

  std::size_t classes_;
  double step_s_ = 1.0 / 64;
  double at_s_ = 0;
  std::vector<double> seconds_;  // place-seconds, by step, then by class
};

struct RunFigures {
  std::uint64_t jobs = 0;
  double makespan_s = 0, utilisation = 0, bound_s = 0, bytes_moved = 0, cache_hit = 0;
  std::vector<std::string> classes;
  std::vector<std::vector<float>> wait_s;  // of each start, for each class
  double share_error = 0;
  std::vector<double> share_error_of;  // each class
  std::uint64_t preempted = 0, lost_and_rerun = 0, decisions = 0;
  std::vector<float> decision_us;
  double wall_s = 0;
  std::uint64_t peak_rss_bytes = 0;

  std::int64_t places = 0;
  std::vector<double> target;  // places by load, for each class
};

// Of an unsorted list, which it sorts in part; 0 if it is empty.
double quantile(std::vector<float>& values, double q);

std::string to_json(RunFigures& figures);
// One page that needs nothing else: the figures, and places over time as SVG.
std::string to_html(RunFigures& figures, const Timeline& timeline);

}  // namespace weir::sim
