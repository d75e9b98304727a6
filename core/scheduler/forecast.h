// How long things may take, by earlier runs: decides on the order of jobs, and tells people what to expect.
// Fixed when a run starts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/graph.h"

namespace weir {

class Forecast {
 public:
  // In milliseconds, by element. `weights` are what the order goes by; empty: all alike. `recorded` is what
  // making an element took, 0 where that is not known; empty: nothing is.
  Forecast(const Graph& graph, std::span<const std::uint32_t> weights,
           std::span<const std::uint32_t> recorded);

  // The longest way from an element to the end, with itself, by element.
  const std::vector<std::uint32_t>& remaining() const { return remaining_; }
  double rest(ElementId element) const { return seconds(remaining_[index(element)]); }
  // Seconds that making it will take.
  std::optional<double> expected(ElementId element) const {
    if (recorded_.empty() || recorded_[index(element)] == 0) return std::nullopt;
    return seconds(recorded_[index(element)]);
  }

 private:
  static double seconds(std::uint32_t milliseconds) { return static_cast<double>(milliseconds) / 1000; }
  std::vector<std::uint32_t> remaining_;
  std::vector<std::uint32_t> recorded_;
};

}  // namespace weir
