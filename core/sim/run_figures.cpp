#include "core/sim/run_figures.h"

#include <algorithm>
#include <cmath>

#include "core/base/json_writer.h"

namespace weir::sim {

void Timeline::add(Time now, const std::vector<std::int64_t>& running) {
  const double end = std::chrono::duration<double>(now.time_since_epoch()).count();
  while (at_s_ < end) {
    auto step = static_cast<std::size_t>(at_s_ / step_s_);
    // A sum of steps may be rounded to just before the border that it means.
    if (static_cast<double>(step + 1) * step_s_ <= at_s_) ++step;
    if (step >= kMostSteps) {
      merge();
      continue;
    }
    if (steps() <= step) seconds_.resize((step + 1) * classes_, 0);
    const double until = std::min(end, static_cast<double>(step + 1) * step_s_);
    for (std::size_t c = 0; c < classes_; ++c)
      seconds_[step * classes_ + c] += (until - at_s_) * static_cast<double>(running[c]);
    at_s_ = until;
  }
}

// Two steps become one.
void Timeline::merge() {
  std::vector<double> half(((steps() + 1) / 2) * classes_, 0);
  for (std::size_t i = 0; i < seconds_.size(); ++i)
    half[i / classes_ / 2 * classes_ + i % classes_] += seconds_[i];
  seconds_ = std::move(half);
  step_s_ *= 2;
}

double quantile(std::vector<float>& values, double q) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

namespace {

double rounded(double value, double digits) {
  const double scale = std::pow(10, digits);
  return std::round(value * scale) / scale;
}

void write_quantiles(JsonWriter& json, std::vector<float>& values, double digits) {
  json.begin_object().key("p50").value(rounded(quantile(values, 0.5), digits));
  json.key("p99").value(rounded(quantile(values, 0.99), digits)).end_object();
}

}  // namespace

std::string to_json(RunFigures& figures) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("jobs").value(figures.jobs).key("makespan_s").value(rounded(figures.makespan_s, 3));
  json.key("utilisation")
      .value(rounded(figures.utilisation, 4))
      .key("bound_s")
      .value(rounded(figures.bound_s, 3));
  json.key("bytes_moved").value(static_cast<std::uint64_t>(std::min(figures.bytes_moved, 1e19)));
  json.key("cache_hit").value(rounded(figures.cache_hit, 4)).key("wait_s").begin_object();
  for (std::size_t c = 0; c < figures.classes.size(); ++c) {
    json.key(figures.classes[c]);
    write_quantiles(json, figures.wait_s[c], 3);
  }
  json.end_object()
      .key("share_error")
      .value(rounded(figures.share_error, 4))
      .key("share_error_by_class")
      .begin_object();
  for (std::size_t c = 0; c < figures.classes.size(); ++c)
    json.key(figures.classes[c]).value(rounded(figures.share_error_of[c], 4));
  json.end_object();
  json.key("preempted").value(figures.preempted).key("lost_and_rerun").value(figures.lost_and_rerun);
  json.key("decisions").value(figures.decisions).key("decision_us");
  write_quantiles(json, figures.decision_us, 3);
  json.key("wall_s")
      .value(rounded(figures.wall_s, 3))
      .key("peak_rss_bytes")
      .value(figures.peak_rss_bytes)
      .end_object();
  return out;
}

}  // namespace weir::sim
