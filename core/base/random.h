// A small random generator whose sequence is the same on every machine (std::uniform_int_distribution is
// not).
#pragma once

#include <cstdint>

namespace weir {

// SplitMix64: one addition and three mixes a number, good enough for jitter, tests and simulations.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound); 0 for bound 0.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  // Uniform in [0, 1).
  double real() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return real() < probability; }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t state_;
};

}  // namespace weir
