// In a simulated run the names of elements and requestors are numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "core/base/assert.h"

namespace weir::sim {

inline std::uint32_t number_in(std::string_view name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  WEIR_ASSERT(error == std::errc() && end == name.data() + name.size(), "\"{}\" is no number", name);
  return number;
}

}  // namespace weir::sim
