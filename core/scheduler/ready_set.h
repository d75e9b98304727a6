// A set of small numbers that gives its smallest one: which ready job comes first. Numbers are positions in
// the fixed order of priorities.
//
// A large set is a bitmap with a bitmap of its words above it, and so on: a million positions are four
// levels. Insert, erase and first touch one word a level (about 10 ns); a binary heap of a million entries
// took ten times that for a pop, and could not erase. A small set of many positions is a tree: where a
// thousand builds share a run, each has a set of its own, and a thousand bitmaps over all elements would be
// most of the memory.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace weir {

class ReadySet {
 public:
  enum class Begin : bool { as_tree, as_bitmap };

  explicit ReadySet(std::size_t positions, Begin begin = Begin::as_bitmap) : positions_(positions) {
    if (begin == Begin::as_bitmap) make_bitmap();
  }

  void insert(std::uint32_t position) {
    if (!levels_.empty()) {
      set_bit(position);
    } else if (few_.insert(position).second && few_.size() * kBitsOfNode > positions_) {
      make_bitmap();
    }
  }
  void erase(std::uint32_t position) {
    if (levels_.empty()) {
      few_.erase(position);
    } else {
      clear_bit(position);
    }
  }
  bool empty() const { return size() == 0; }
  std::size_t size() const { return levels_.empty() ? few_.size() : size_; }
  std::optional<std::uint32_t> first() const {
    if (empty()) return std::nullopt;
    return levels_.empty() ? *few_.begin() : first_bit();
  }

 private:
  static constexpr std::size_t kBitsOfNode = std::size_t{8} * 48;  // of the tree, as malloc has it

  static std::uint64_t bit(std::uint32_t position) { return std::uint64_t{1} << (position & 63); }
  bool has_bit(std::uint32_t position) const { return levels_[0][position >> 6] & bit(position); }

  // Stays one: who had that many once may have them again.
  void make_bitmap() {
    std::size_t words = positions_;
    do {
      words = (words + 63) / 64;
      levels_.emplace_back(words, 0);
    } while (words > 1);
    for (const auto position : few_) set_bit(position);
    few_.clear();
  }
  void set_bit(std::uint32_t position) {
    size_ += !has_bit(position);
    for (auto& level : levels_) {
      auto& word = level[position >> 6];
      const bool was_empty = word == 0;
      word |= bit(position);
      if (!was_empty) return;
      position >>= 6;
    }
  }
  void clear_bit(std::uint32_t position) {
    size_ -= has_bit(position);
    for (auto& level : levels_) {
      auto& word = level[position >> 6];
      word &= ~bit(position);
      if (word != 0) return;
      position >>= 6;
    }
  }
  std::uint32_t first_bit() const {
    std::uint32_t position = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      position = (position << 6) | static_cast<std::uint32_t>(std::countr_zero((*level)[position]));
    return position;
  }

  std::size_t positions_;
  std::set<std::uint32_t> few_;                     // while it is a tree
  std::vector<std::vector<std::uint64_t>> levels_;  // of the bitmap; [0] has a bit per position
  std::size_t size_ = 0;                            // likewise
};

}  // namespace weir
