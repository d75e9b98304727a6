// Arrays that grow without moving what is in them: a vector of a million records that doubles takes three times its memory
// and stops the loop for the time of a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace weir {

inline constexpr std::uint32_t kNone = 0xffffffff;

template <class T>
class Chunked {
 public:
  T& operator[](std::uint32_t i) { return chunks_[i >> kShift][i & kMask]; }
  const T& operator[](std::uint32_t i) const { return chunks_[i >> kShift][i & kMask]; }
  std::uint32_t size() const { return size_; }
  // At least so many; new ones are as T{} makes them.
  void reach(std::uint32_t size) {
    if (size <= size_) return;
    size_ = size;
    while ((chunks_.size() << kShift) < size) chunks_.push_back(std::make_unique<T[]>(kMask + std::size_t{1}));
  }

 private:
  static constexpr std::uint32_t kShift = 12;
  static constexpr std::uint32_t kMask = (1u << kShift) - 1;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::uint32_t size_ = 0;
};

// Records by index, those given back are used again first.
template <class T>
class Pool {
 public:
  T& operator[](std::uint32_t i) { return items_[i]; }
  const T& operator[](std::uint32_t i) const { return items_[i]; }
  std::uint32_t take() {
    if (free_.empty()) {
      items_.reach(items_.size() + 1);
      return items_.size() - 1;
    }
    const auto i = free_.back();
    free_.pop_back();
    return i;
  }
  void give_back(std::uint32_t i) {
    items_[i] = T{};
    free_.push_back(i);
  }
  std::uint32_t used() const { return items_.size() - static_cast<std::uint32_t>(free_.size()); }

 private:
  Chunked<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir
