#include "core/sim/sim_build.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weir::sim {

namespace {

// A job takes between a microsecond and 30 years.
Duration draw_duration(const Lognormal& ms, Random& random) {
  const auto micros = std::clamp(draw(ms, random) * 1e3, 1.0, 1e15);
  return std::chrono::microseconds(static_cast<std::int64_t>(micros));
}

}  // namespace

// By Box and Muller: the same on every machine, which std::lognormal_distribution is not.
double draw(const Lognormal& law, Random& random) {
  const double u = 1 - random.real(), v = random.real();
  return law.median * std::exp(law.sigma * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
}

SimBuild::SimBuild(const RunInput& input, ClassId work_class, ResultId first, std::uint64_t seed)
    : work_class_(work_class), first_(index(first)), jobs_(input.jobs_each), used_(input.jobs_each, 0) {
  Random random(seed);
  for (auto& job : jobs_) {
    job.duration = draw_duration(input.duration_ms, random);
    job.bytes = std::floor(std::min(draw(input.artifact_bytes, random), 1e15));
    work_ += job.duration;
  }
  make_edges(input, random);
  make_users();
  measure();
}

void SimBuild::make_edges(const RunInput& input, Random& random) {
  const auto layer_begin = [&](std::uint32_t layer) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(layer) * size() / input.depth);
  };
  deps_.reserve(static_cast<std::size_t>(size()) * input.fan_in);
  for (std::uint32_t layer = 0; layer < input.depth; ++layer) {
    const auto above = layer == 0 ? 0 : layer_begin(layer - 1), width = layer_begin(layer) - above;
    for (auto i = layer_begin(layer); i < layer_begin(layer + 1); ++i) {
      auto& job = jobs_[i];
      job.first_dep = static_cast<std::uint32_t>(deps_.size());
      for (std::uint32_t k = 0; layer > 0 && k < std::min(input.fan_in, width); ++k) {
        const ResultId dep{first_ + above + static_cast<std::uint32_t>(random.below(width))};
        const auto begin = deps_.begin() + job.first_dep;
        if (std::find(begin, deps_.end(), dep) != deps_.end()) continue;
        deps_.push_back(dep);
        ++jobs_[index(dep) - first_].users;
      }
      job.blockers = static_cast<std::uint32_t>(deps_.size()) - job.first_dep;
    }
  }
}

void SimBuild::make_users() {
  std::uint32_t at = 0;
  for (auto& job : jobs_) {
    job.first_user = at;
    at += job.users;
    job.users = 0;
  }
  users_.resize(at);
  for (std::uint32_t i = 0; i < size(); ++i)
    for (const auto dep : deps(id(i))) {
      auto& made = (*this)[dep];
      users_[made.first_user + made.users++] = i;
    }
}

void SimBuild::measure() {
  for (auto i = size(); i-- > 0;) {
    auto& job = jobs_[i];
    for (std::uint32_t k = 0; k < job.users; ++k)
      job.rest = std::max(job.rest, jobs_[users_[job.first_user + k]].rest);
    job.rest += job.duration;
    critical_path_ = std::max(critical_path_, job.rest);
  }
}

std::span<const ResultId> SimBuild::deps(ResultId id) const {
  const auto at = index(id) - first_;
  const auto end = at + 1 < jobs_.size() ? jobs_[at + 1].first_dep : deps_.size();
  return std::span(deps_).subspan(jobs_[at].first_dep, end - jobs_[at].first_dep);
}

void SimBuild::push_ready(ResultId id) {
  ready_.push_back({(*this)[id].rest, index(id) - first_});
  std::push_heap(ready_.begin(), ready_.end());
}

ResultId SimBuild::pop_ready() {
  std::pop_heap(ready_.begin(), ready_.end());
  const auto job = ready_.back().job;
  ready_.pop_back();
  return id(job);
}

}  // namespace weir::sim
