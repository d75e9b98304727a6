// One heap for all that is due at some time. Entries fire in order of their deadline, then in the order in
// which they were set; a cancelled entry is unlinked at once, so memory follows what is really waiting. One
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"

namespace weir {

class TimerQueue {
 public:
  // A timer's name; 0 is no timer.
  enum class Id : std::uint64_t { none = 0 };

  Id set(Time deadline, std::uint64_t payload);
  // True if it was still set.
  bool cancel(Id id);
  std::optional<Time> next() const;
  // Takes the first timer that is due, or nothing.
  std::optional<std::uint64_t> pop_due(Time now);
  std::size_t size() const { return heap_.size(); }

 private:
  struct Entry {
    Time deadline;
    std::uint64_t order;
    std::uint64_t payload;
    std::uint32_t slot;
  };
  // Where the entry of a slot stands in the heap; the generation tells a reused slot from the one an Id was
  // given for.
  struct Slot {
    std::uint32_t position = 0;
    std::uint32_t generation = 1;
  };
  static bool before(const Entry& a, const Entry& b) {
    return a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
  }
  void place(std::size_t position, const Entry& entry);
  void sift_up(std::size_t position);
  void sift_down(std::size_t position);
  void remove_at(std::size_t position);
  std::uint32_t take_slot();

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t next_order_ = 0;
};

}  // namespace weir
