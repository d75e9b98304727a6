#include "core/sim/workload.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/sim/sim_time.h"

namespace weir::sim {

namespace {

// By Box and Muller: the same on every machine, which std::lognormal_distribution is not.
double draw(const Lognormal& law, Random& random) {
  const double u = 1 - random.real(), v = random.real();
  return law.median * std::exp(law.sigma * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
}

// A job takes between a microsecond and 30 years.
Duration draw_duration(const Lognormal& ms, Random& random) {
  const auto micros = std::clamp(draw(ms, random) * 1e3, 1.0, 1e15);
  return std::chrono::microseconds(static_cast<std::int64_t>(micros));
}

ClassId draw_class(const std::vector<double>& share, Random& random) {
  double total = 0;
  for (const auto part : share) total += part;
  double point = random.real() * total;
  std::uint32_t c = 0;
  while (c + 1 < share.size() && (point >= share[c] || share[c] == 0)) point -= share[c++];
  return ClassId{c};
}

}  // namespace

Workload::Workload(const RunInput& input) : jobs_each_(input.jobs_each) {
  const auto jobs = static_cast<std::size_t>(input.builds) * input.jobs_each;
  graph_.reserve(jobs, jobs * std::min(input.fan_in, input.jobs_each), jobs * 7);
  jobs_.reserve(jobs);
  plan_arrivals(input);
  for (std::uint32_t b = 0; b < input.builds; ++b) {
    // Seeds of its own: a build is the same whatever comes before it.
    Random seeds(input.seed ^ (0x9e3779b97f4a7c15ULL * (b + 1)));
    Random own(seeds.next());
    const auto first = static_cast<std::uint32_t>(jobs_.size());
    add_jobs(input, own);
    add_edges(input, own);
    measure(builds_[b], first);
  }
}

void Workload::plan_arrivals(const RunInput& input) {
  Random random(input.seed);
  Time arrival{};
  for (std::uint32_t b = 0; b < input.builds; ++b) {
    builds_.push_back({arrival, draw_class(input.share, random)});
    arrival = std::min(arrival + exponential(input.arrival_s, random), kEndOfTime);
  }
}

void Workload::add_jobs(const RunInput& input, Random& random) {
  for (std::uint32_t i = 0; i < jobs_each_; ++i) {
    const auto duration = draw_duration(input.duration_ms, random);
    jobs_.push_back({duration, std::floor(std::min(draw(input.artifact_bytes, random), 1e15))});
  }
}

void Workload::add_edges(const RunInput& input, Random& random) {
  const auto first = static_cast<std::uint32_t>(graph_.size());
  const auto layer_begin = [&](std::uint32_t layer) {
    return first + static_cast<std::uint32_t>(static_cast<std::uint64_t>(layer) * jobs_each_ / input.depth);
  };
  for (std::uint32_t layer = 0; layer < input.depth; ++layer) {
    const auto above = layer == 0 ? first : layer_begin(layer - 1), width = layer_begin(layer) - above;
    for (auto i = layer_begin(layer); i < layer_begin(layer + 1); ++i)
      add_element(input, above, width, random);
  }
}

// It needs results of the layer that begins at `first`. One that is drawn twice is needed once.
void Workload::add_element(const RunInput& input, std::uint32_t first, std::uint32_t width, Random& random) {
  std::vector<Graph::Edge> edges;
  for (std::uint32_t k = 0; k < std::min(input.fan_in, width); ++k) {
    const ElementId needed{first + static_cast<std::uint32_t>(random.below(width))};
    const auto same = [&](const Graph::Edge& edge) { return edge.to == needed; };
    if (std::none_of(edges.begin(), edges.end(), same)) edges.push_back({needed, DependencyKind::build});
  }
  graph_.add(std::to_string(graph_.size()), edges);
}

void Workload::measure(const Build& build, std::uint32_t first) {
  std::vector<double> end_s(jobs_each_);  // with places without end
  for (std::uint32_t i = 0; i < jobs_each_; ++i) {
    const ElementId element{first + i};
    const auto own_s = seconds(job(element).duration);
    for (const auto needed : graph_.build_dependencies(element))
      end_s[i] = std::max(end_s[i], end_s[index(needed) - first]);
    end_s[i] += own_s;
    work_s_ += own_s;
    critical_path_s_ = std::max(critical_path_s_, seconds(build.arrival.time_since_epoch()) + end_s[i]);
  }
}

std::vector<ElementId> Workload::elements_of(std::size_t build) const {
  std::vector<ElementId> all(jobs_each_);
  auto next = static_cast<std::uint32_t>(build * jobs_each_);
  for (auto& element : all) element = ElementId{next++};
  return all;
}

std::vector<std::uint32_t> Workload::weights() const {
  constexpr double kMostWeight = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> all;
  all.reserve(jobs_.size());
  for (const auto& one : jobs_)
    all.push_back(static_cast<std::uint32_t>(std::clamp(seconds(one.duration) * 1e3, 1.0, kMostWeight)));
  return all;
}

}  // namespace weir::sim
