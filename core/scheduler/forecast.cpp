#include "core/scheduler/forecast.h"

#include "core/base/assert.h"

namespace weir {

namespace {

std::vector<std::uint32_t> remaining_paths(const Graph& graph, std::span<const std::uint32_t> weights) {
  if (!weights.empty()) return longest_remaining_path(graph, weights);
  return longest_remaining_path(graph, std::vector<std::uint32_t>(graph.size(), 1));
}

}  // namespace

Forecast::Forecast(const Graph& graph, std::span<const std::uint32_t> weights,
                   std::span<const std::uint32_t> recorded)
    : remaining_(remaining_paths(graph, weights)), recorded_(recorded.begin(), recorded.end()) {
  WEIR_ASSERT(recorded_.empty() || recorded_.size() == graph.size(), "{} durations for {} elements",
              recorded_.size(), graph.size());
}

}  // namespace weir
