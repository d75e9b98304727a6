#include "core/placement/holdings.h"

namespace weir {

template <Holdings::Links Holdings::Record::*links>
void Holdings::link(std::uint32_t& first, std::uint32_t holding) {
  (records_[holding].*links).next = first;
  if (first != kNone) (records_[first].*links).prev = holding;
  first = holding;
}

template <Holdings::Links Holdings::Record::*links>
void Holdings::unlink(std::uint32_t& first, std::uint32_t holding) {
  const auto [prev, next] = records_[holding].*links;
  (prev == kNone ? first : (records_[prev].*links).next) = next;
  if (next != kNone) (records_[next].*links).prev = prev;
}

std::size_t Holdings::home(WorkerId worker, ResultId artifact) const {
  const auto key = (static_cast<std::uint64_t>(index(worker)) << 32) | index(artifact);
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 20) & (slots_.size() - 1);
}

// Where it is, or where it would be put.
std::size_t Holdings::slot_of(WorkerId worker, ResultId artifact) const {
  for (auto slot = home(worker, artifact);; slot = (slot + 1) & (slots_.size() - 1)) {
    if (slots_[slot] == kNone) return slot;
    const auto& record = records_[slots_[slot]];
    if (record.worker == worker && record.artifact == artifact) return slot;
  }
}

std::uint32_t Holdings::find(WorkerId worker, ResultId artifact) const {
  return slots_.empty() ? kNone : slots_[slot_of(worker, artifact)];
}

void Holdings::grow() {
  const auto old = std::move(slots_);
  slots_.assign(old.empty() ? 64 : old.size() * 2, kNone);
  for (const auto holding : old)
    if (holding != kNone) slots_[slot_of(records_[holding].worker, records_[holding].artifact)] = holding;
}

std::uint32_t Holdings::add(WorkerId worker, ResultId artifact) {
  if (records_.used() * std::size_t{3} >= slots_.size() * 2) grow();
  const auto slot = slot_of(worker, artifact);
  if (slots_[slot] != kNone) return kNone;
  const auto holding = records_.take();
  records_[holding].worker = worker;
  records_[holding].artifact = artifact;
  slots_[slot] = holding;
  by_artifact_.reach(index(artifact) + 1);
  by_worker_.reach(index(worker) + 1);
  link<&Record::of_artifact>(by_artifact_[index(artifact)].first, holding);
  link<&Record::of_worker>(by_worker_[index(worker)].first, holding);
  return holding;
}

void Holdings::remove(std::uint32_t holding) {
  const auto record = records_[holding];
  close_gap(slot_of(record.worker, record.artifact));
  unlink<&Record::of_artifact>(by_artifact_[index(record.artifact)].first, holding);
  unlink<&Record::of_worker>(by_worker_[index(record.worker)].first, holding);
  records_.give_back(holding);
}

// Moves up what was pushed aside by the removed one, so that no tombstones are needed.
void Holdings::close_gap(std::size_t gap) {
  const auto mask = slots_.size() - 1;
  for (auto slot = (gap + 1) & mask; slots_[slot] != kNone; slot = (slot + 1) & mask) {
    const auto& record = records_[slots_[slot]];
    const auto wanted = home(record.worker, record.artifact);
    if (((slot - wanted) & mask) < ((slot - gap) & mask)) continue;
    slots_[gap] = slots_[slot];
    gap = slot;
  }
  slots_[gap] = kNone;
}

}  // namespace weir
