#include "core/base/timer_queue.h"

#include "core/base/assert.h"

namespace weir {

namespace {
TimerQueue::Id make_id(std::uint32_t slot, std::uint32_t generation) {
  return static_cast<TimerQueue::Id>((static_cast<std::uint64_t>(generation) << 32) | slot);
}
}  // namespace

std::uint32_t TimerQueue::take_slot() {
  if (free_slots_.empty()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const auto slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

TimerQueue::Id TimerQueue::set(Time deadline, std::uint64_t payload) {
  const auto slot = take_slot();
  heap_.push_back({});
  place(heap_.size() - 1, {deadline, next_order_++, payload, slot});
  sift_up(heap_.size() - 1);
  return make_id(slot, slots_[slot].generation);
}

bool TimerQueue::cancel(Id id) {
  const auto slot = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
  const auto generation = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id) >> 32);
  if (id == Id::none || slot >= slots_.size() || slots_[slot].generation != generation) return false;
  remove_at(slots_[slot].position);
  return true;
}

std::optional<Time> TimerQueue::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().deadline;
}

std::optional<std::uint64_t> TimerQueue::pop_due(Time now) {
  if (heap_.empty() || heap_.front().deadline > now) return std::nullopt;
  const auto payload = heap_.front().payload;
  remove_at(0);
  return payload;
}

void TimerQueue::place(std::size_t position, const Entry& entry) {
  heap_[position] = entry;
  slots_[entry.slot].position = static_cast<std::uint32_t>(position);
}

void TimerQueue::sift_up(std::size_t position) {
  const Entry entry = heap_[position];
  while (position > 0) {
    const auto parent = (position - 1) / 2;
    if (!before(entry, heap_[parent])) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, entry);
}

void TimerQueue::sift_down(std::size_t position) {
  const Entry entry = heap_[position];
  for (;;) {
    auto child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], entry)) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, entry);
}

void TimerQueue::remove_at(std::size_t position) {
  WEIR_ASSERT(position < heap_.size(), "timer at {} of {}", position, heap_.size());
  const auto slot = heap_[position].slot;
  ++slots_[slot].generation;
  free_slots_.push_back(slot);
  const Entry last = heap_.back();
  heap_.pop_back();
  if (position == heap_.size()) return;
  place(position, last);
  sift_up(position);
  sift_down(slots_[last.slot].position);
}

}  // namespace weir
