// The middle of the values, the upper one of two; the values must not be empty. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir {

template <class Number>
Number median(std::vector<Number> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace weir
