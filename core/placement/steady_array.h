// Arrays that grow without moving what is in them: a vector of a million records that doubles takes three
// times its memory and stops the loop for the time of a copy. Addresses are reserved beforehand and filled
// with memory as it is asked for, so that a look is one step from the start, not through a table of pieces.
//
// All but the first piece asks for huge pages: with a million jobs nearly every look is a cache miss, and one
// of the translation on top of it costs a fifth of all rounds.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace weir {

inline constexpr std::uint32_t kNone = 0xffffffff;

// Addresses of which as many as wanted are memory.
class Reservation {
 public:
  Reservation() = default;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() {
    if (start_) ::munmap(start_, reserved_);
  }
  // `most` is what is reserved at the first call; less if there is a limit.
  void* reach(std::size_t bytes, std::size_t most) {
    if (!start_) reserve((most + kHugePage - 1) / kHugePage * kHugePage);
    bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    if (bytes <= usable_) return start_;
    if (bytes > reserved_ || ::mprotect(start_ + usable_, bytes - usable_, PROT_READ | PROT_WRITE) != 0)
      throw std::bad_alloc();
    if (usable_ > 0)
      ::madvise(start_ + usable_, bytes - usable_, MADV_HUGEPAGE);  // a wish: nothing depends on it
    usable_ = bytes;
    return start_;
  }
  std::size_t usable() const { return usable_; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  void reserve(std::size_t bytes) {
    for (; bytes >= kHugePage; bytes = bytes / 2 / kHugePage * kHugePage) {
      void* memory =
          ::mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) continue;
      cut_to_huge_pages(static_cast<std::byte*>(memory), bytes);
      return;
    }
    throw std::bad_alloc();
  }
  void cut_to_huge_pages(std::byte* memory, std::size_t bytes) {
    const auto before = (kHugePage - reinterpret_cast<std::uintptr_t>(memory) % kHugePage) % kHugePage;
    if (before > 0) ::munmap(memory, before);
    ::munmap(memory + before + bytes, kHugePage - before);
    start_ = memory + before;
    reserved_ = bytes;
  }

  std::byte* start_ = nullptr;
  std::size_t reserved_ = 0, usable_ = 0;
};

template <class T>
class SteadyArray {
 public:
  SteadyArray() = default;
  SteadyArray(const SteadyArray&) = delete;
  SteadyArray& operator=(const SteadyArray&) = delete;
  ~SteadyArray() { std::destroy_n(items_, size_); }

  T& operator[](std::uint32_t i) { return items_[i]; }
  const T& operator[](std::uint32_t i) const { return items_[i]; }
  std::uint32_t size() const { return size_; }
  // At least so many; new ones are as T{} makes them.
  void reach(std::uint32_t size) {
    if (size > size_) grow(size);
  }
  void prefetch(std::uint32_t i) const {
    if (i < size_) __builtin_prefetch(&items_[i]);
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 28;

  [[gnu::noinline]] void grow(std::uint32_t size) {
    const auto bytes = std::size_t{size} * sizeof(T);
    if (bytes > memory_.usable()) items_ = static_cast<T*>(memory_.reach(bytes, kMost * sizeof(T)));
    for (; size_ < size; ++size_) new (&items_[size_]) T{};
  }

  Reservation memory_;
  T* items_ = nullptr;
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
  void prefetch(std::uint32_t i) const { items_.prefetch(i); }
  void give_back(std::uint32_t i) {
    items_[i] = T{};
    free_.push_back(i);
  }
  std::uint32_t used() const { return items_.size() - static_cast<std::uint32_t>(free_.size()); }

 private:
  SteadyArray<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir
