// Arrays that grow without moving what is in them: a vector of a million records that doubles takes three
// times its memory and stops the loop for the time of a copy. All but the first chunk ask for huge pages:
// with a million jobs nearly every look is a cache miss, and one of the translation on top of it costs a
// fifth of all rounds.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace weir {

inline constexpr std::uint32_t kNone = 0xffffffff;

template <class T>
class Chunked {
 public:
  Chunked() = default;
  Chunked(const Chunked&) = delete;
  Chunked& operator=(const Chunked&) = delete;
  ~Chunked() {
    for (std::uint32_t i = 0; i < size_; ++i) (*this)[i].~T();
    for (auto* chunk : chunks_) std::free(chunk);
  }

  T& operator[](std::uint32_t i) { return chunks_[i >> kShift][i & kMask]; }
  const T& operator[](std::uint32_t i) const { return chunks_[i >> kShift][i & kMask]; }
  std::uint32_t size() const { return size_; }
  // At least so many; new ones are as T{} makes them.
  void reach(std::uint32_t size) {
    while (size_ < size) {
      if (size_ >> kShift == chunks_.size()) chunks_.push_back(new_chunk(chunks_.empty()));
      new (&(*this)[size_]) T{};
      ++size_;
    }
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  // At least a huge page: of a smaller piece the system makes none.
  static constexpr std::uint32_t kShift = std::bit_width((kHugePage - 1) / sizeof(T));
  static constexpr std::uint32_t kMask = (1u << kShift) - 1;

  static T* new_chunk(bool is_first) {
    constexpr std::size_t kAlignment = std::max(alignof(T), alignof(std::max_align_t));
    const auto alignment = is_first ? kAlignment : kHugePage;
    const auto bytes = ((sizeof(T) << kShift) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (!memory) throw std::bad_alloc();
    if (!is_first) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: nothing depends on it
    return static_cast<T*>(memory);
  }

  std::vector<T*> chunks_;
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
  void prefetch(std::uint32_t i) const {
    if (i < items_.size()) __builtin_prefetch(&items_[i]);
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
