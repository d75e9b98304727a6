// Dividing whole things by weights: the largest-remainder rounding of the water-filled solution
//   x_c = clamp(lambda * weight_c - held_c, 0, cap_c),  sum of x_c = min(n, sum of the caps of weights above
//   0).
// All in integers: weights are brought to one power of ten and everything is compared by cross products.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/placement/decimal.h"

namespace weir {

__extension__ using Wide = __int128;

// Loads, or any weights, ready for arithmetic. Products of a weight with a count fit into 128 bits for all
// that people write; numbers that lie further apart (1e-30 beside 1e30) are kept as big integers, some 20
// times slower.
class Weights {
 public:
  static Weights of(std::span<const Decimal> loads);  // none negative
  static Weights of(std::span<const std::int64_t> counts);
  static Weights equal(std::size_t size);

  std::size_t size() const { return small_.empty() ? big_size_ : small_.size(); }
  bool is_zero(std::size_t i) const;
  // Larger weights first, then as named.
  std::vector<std::uint32_t> larger_first() const;

 private:
  friend class Sharing;
  struct Big;
  std::vector<Wide> small_;
  std::shared_ptr<const Big> big_;
  std::size_t big_size_ = 0;
};

struct Demand {
  std::int64_t cap = 0;   // 0 for who does not take part
  std::int64_t held = 0;  // counts against what it is given
};

// Counts and their sums are at most this, so that products stay exact.
inline constexpr std::int64_t kMostCount = std::int64_t{1} << 53;

// Ties go to the larger weight, then to the one named first.
std::vector<std::int64_t> share(std::int64_t n, const Weights& weights, std::span<const Demand> demands);

}  // namespace weir
