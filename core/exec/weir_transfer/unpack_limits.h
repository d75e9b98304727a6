// What one archive may cost. Both limits of a bomb have to be passed: small archives of zeros are common in
// test data, and text that is packed well comes to about 1:30; gzip cannot do more than 1:1032.
#pragma once

#include <cstdint>

namespace weir::transfer {

inline constexpr std::uint64_t kMostEntries = 2'000'000;

struct BombWatch {
  static constexpr std::uint64_t kHarmless = 64 << 20;
  static constexpr std::uint64_t kRatio = 200;
  std::uint64_t bytes_out = 0;  // holes count with their full size

  bool is_bomb(std::uint64_t more, std::uint64_t bytes_in) {
    if (__builtin_add_overflow(bytes_out, more, &bytes_out)) return true;
    return bytes_out > kHarmless && bytes_out / kRatio > bytes_in;
  }
};

}  // namespace weir::transfer
