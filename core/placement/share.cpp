#include "core/placement/share.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <numeric>

#include "core/base/assert.h"

namespace weir {

using BigInteger = boost::multiprecision::cpp_int;

struct Weights::Big {
  std::vector<BigInteger> weights;
};

namespace {

// 2^72: times a count of 2^54 it stays below 2^126.
constexpr Wide kMostSmall = Wide{1} << 72;
constexpr std::size_t kMostSmallDigits = 21;

template <class Int>
Int scaled(const Decimal& load, int exponent) {
  Int value = 0;
  for (const char digit : load.digits()) value = value * 10 + (digit - '0');
  for (int i = exponent; i < load.exponent(); ++i) value *= 10;
  return value;
}

int smallest_exponent(std::span<const Decimal> loads) {
  int smallest = Decimal::kMostPlaces;
  for (const auto& load : loads)
    if (!load.is_zero()) smallest = std::min(smallest, load.exponent());
  return smallest;
}

bool all_small(std::span<const Decimal> loads, int exponent) {
  return std::all_of(loads.begin(), loads.end(), [&](const Decimal& load) {
    return load.is_zero() ||
           load.digits().size() + static_cast<std::size_t>(load.exponent() - exponent) <= kMostSmallDigits;
  });
}

template <class Int>
std::vector<std::uint32_t> order_of(const std::vector<Int>& weights) {
  std::vector<std::uint32_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
  return order;
}

// Raises lambda from 0 past the points where a class begins to get something and where it has all it can use.
template <class Int>
class WaterLevel {
 public:
  WaterLevel(std::int64_t n, const std::vector<Int>& weights, std::span<const Demand> demands)
      : n_(n), weights_(weights), demands_(demands), given_(weights.size(), 0) {}

  std::vector<std::int64_t> fill() {
    find_corners();
    raise();
    round();
    return std::move(given_);
  }

 private:
  struct Corner {
    std::uint32_t index;
    std::int64_t at;  // lambda is at / weight
    bool is_full;
  };
  enum class Stage : unsigned char { dry, rising, full };

  void find_corners() {
    for (std::uint32_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == 0 || demands_[i].cap <= 0) continue;
      corners_.push_back({i, demands_[i].held, false});
      corners_.push_back({i, demands_[i].held + demands_[i].cap, true});
    }
    std::sort(corners_.begin(), corners_.end(), [this](const Corner& a, const Corner& b) {
      const Int left = weights_[b.index] * a.at, right = weights_[a.index] * b.at;
      return left != right ? left < right : a.is_full < b.is_full;
    });
  }

  // What all together have at a corner is more than there is: lambda lies before it.
  bool is_beyond(const Corner& corner) const { return weight_ * corner.at > weights_[corner.index] * level_; }

  void raise() {
    level_ = n_;
    stages_.assign(weights_.size(), Stage::dry);
    for (const auto& corner : corners_) {
      if (is_beyond(corner)) return;
      const auto& demand = demands_[corner.index];
      if (corner.is_full) {
        weight_ -= weights_[corner.index];
        level_ -= demand.cap + demand.held;
        given_[corner.index] = demand.cap;
        stages_[corner.index] = Stage::full;
      } else {
        weight_ += weights_[corner.index];
        level_ += demand.held;
        stages_[corner.index] = Stage::rising;
      }
    }
  }

  // lambda = level / weight, where level is what is left plus what those that rise hold already.
  void round() {
    struct Rest {
      std::uint32_t index;
      Int remainder;
    };
    std::vector<Rest> rests;
    std::int64_t left = level_;
    for (std::uint32_t i = 0; i < weights_.size(); ++i) {
      if (stages_[i] != Stage::rising) continue;
      const Int product = weights_[i] * level_;
      const auto whole = static_cast<std::int64_t>(product / weight_);
      given_[i] = whole - demands_[i].held;
      left -= whole;
      rests.push_back({i, product % weight_});
    }
    if (rests.empty()) return;
    std::sort(rests.begin(), rests.end(), [this](const Rest& a, const Rest& b) {
      if (a.remainder != b.remainder) return a.remainder > b.remainder;
      if (weights_[a.index] != weights_[b.index]) return weights_[a.index] > weights_[b.index];
      return a.index < b.index;
    });
    for (std::int64_t i = 0; i < left; ++i) ++given_[rests[static_cast<std::size_t>(i)].index];
  }

  const std::int64_t n_;
  const std::vector<Int>& weights_;
  const std::span<const Demand> demands_;
  std::vector<std::int64_t> given_;
  std::vector<Corner> corners_;
  std::vector<Stage> stages_;
  Int weight_ = 0;
  std::int64_t level_ = 0;
};

}  // namespace

Weights Weights::of(std::span<const Decimal> loads) {
  Weights out;
  const int exponent = smallest_exponent(loads);
  if (all_small(loads, exponent)) {
    for (const auto& load : loads) out.small_.push_back(scaled<Wide>(load, exponent));
    if (std::accumulate(out.small_.begin(), out.small_.end(), Wide{0}) < kMostSmall) return out;
    out.small_.clear();
  }
  auto big = std::make_shared<Big>();
  for (const auto& load : loads) big->weights.push_back(scaled<BigInteger>(load, exponent));
  out.big_ = std::move(big);
  out.big_size_ = loads.size();
  return out;
}

Weights Weights::of(std::span<const std::int64_t> counts) {
  Weights out;
  out.small_.assign(counts.begin(), counts.end());
  return out;
}

Weights Weights::equal(std::size_t size) {
  Weights out;
  out.small_.assign(size, 1);
  return out;
}

bool Weights::is_zero(std::size_t i) const { return big_ ? big_->weights[i] == 0 : small_[i] == 0; }

std::vector<std::uint32_t> Weights::larger_first() const {
  return big_ ? order_of(big_->weights) : order_of(small_);
}

class Sharing {
 public:
  static std::vector<std::int64_t> fill(std::int64_t n, const Weights& weights,
                                        std::span<const Demand> demands) {
    if (weights.big_) return WaterLevel<BigInteger>(n, weights.big_->weights, demands).fill();
    return WaterLevel<Wide>(n, weights.small_, demands).fill();
  }
};

std::vector<std::int64_t> share(std::int64_t n, const Weights& weights, std::span<const Demand> demands) {
  WEIR_ASSERT(weights.size() == demands.size(), "{} weights for {} demands", weights.size(), demands.size());
  WEIR_ASSERT(n >= 0 && n <= kMostCount, "{} to share", n);
  return Sharing::fill(n, weights, demands);
}

}  // namespace weir
