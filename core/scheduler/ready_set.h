// A set of small numbers that gives its smallest one: which ready job comes first. Numbers are positions in the fixed
// order of priorities, so the set is a bitmap with a bitmap of its words above it, and so on: a million positions are
// four levels. Insert, erase and first touch one word a level (about 10 ns); a binary heap of a million entries took
// ten times that for a pop, and could not erase.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace weir {

class ReadySet {
 public:
  explicit ReadySet(std::size_t positions) {
    std::size_t words = positions;
    do {
      words = (words + 63) / 64;
      levels_.emplace_back(words, 0);
    } while (words > 1);
  }

  void insert(std::uint32_t position) {
    size_ += !contains(position);
    for (auto& level : levels_) {
      auto& word = level[position >> 6];
      const bool was_empty = word == 0;
      word |= bit(position);
      if (!was_empty) return;
      position >>= 6;
    }
  }
  void erase(std::uint32_t position) {
    size_ -= contains(position);
    for (auto& level : levels_) {
      auto& word = level[position >> 6];
      word &= ~bit(position);
      if (word != 0) return;
      position >>= 6;
    }
  }
  bool contains(std::uint32_t position) const { return levels_[0][position >> 6] & bit(position); }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::optional<std::uint32_t> first() const {
    if (empty()) return std::nullopt;
    std::uint32_t position = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      position = (position << 6) | static_cast<std::uint32_t>(std::countr_zero((*level)[position]));
    return position;
  }

 private:
  static std::uint64_t bit(std::uint32_t position) { return std::uint64_t{1} << (position & 63); }

  std::vector<std::vector<std::uint64_t>> levels_;  // [0] has a bit per position
  std::size_t size_ = 0;
};

}  // namespace weir
