// Who holds what: a relation of workers and artifacts, walked from either side. A holding keeps its index
// until it is removed, so that others can keep tables beside it. Extra is what else there is to know of an
// artifact: it lies beside the list of holders, since whoever asks for one needs the other, and each is a
// cache miss.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/model/placement.h"
#include "core/placement/steady_array.h"

namespace weir {

struct NothingElse {};

template <class Extra = NothingElse>
class Holdings {
 public:
  struct Holding {
    WorkerId worker{};
    ResultId artifact{};
  };

  // kNone if it is held already.
  std::uint32_t add(WorkerId worker, ResultId artifact);
  std::uint32_t find(WorkerId worker, ResultId artifact) const;
  void remove(std::uint32_t holding);
  Holding operator[](std::uint32_t holding) const {
    return {records_[holding].worker, records_[holding].artifact};
  }

  Extra& extra(ResultId artifact) { return shelf(artifact); }
  const Extra* find_extra(ResultId artifact) const {
    return knows(artifact) ? &shelves_[index(artifact)] : nullptr;
  }
  void prefetch(ResultId artifact) const { shelves_.prefetch(index(artifact)); }

  void prefetch(WorkerId worker) const { records_.prefetch(first_of(worker)); }

  std::uint32_t first_of(ResultId artifact) const {
    return knows(artifact) ? shelves_[index(artifact)].first : kNone;
  }
  std::uint32_t first_of(WorkerId worker) const {
    return index(worker) < by_worker_.size() ? by_worker_[index(worker)].first : kNone;
  }
  std::uint32_t next_of_artifact(std::uint32_t holding) const { return records_[holding].of_artifact.next; }
  bool is_held(ResultId artifact) const { return first_of(artifact) != kNone; }
  std::uint32_t count() const { return records_.used(); }

 private:
  // Most artifacts are with a few workers, and a walk beats a look into a table; those of a crowd are in a
  // table too.
  static constexpr std::uint32_t kFew = 8;
  struct Links {
    std::uint32_t prev = kNone, next = kNone;
  };
  struct Record {
    WorkerId worker{};
    ResultId artifact{};
    Links of_artifact, of_worker;
  };
  // A look at one is a cache miss; two of them if it lay across two lines.
  static constexpr std::size_t kCacheLine = 64;
  struct alignas(kCacheLine) Shelf : Extra {
    std::uint32_t first = kNone;
    std::uint32_t count : 31 = 0;
    std::uint32_t is_crowded : 1 = 0;
  };
  struct First {
    std::uint32_t first = kNone;
  };

  bool knows(ResultId artifact) const { return index(artifact) < shelves_.size(); }
  Shelf& shelf(ResultId artifact) {
    shelves_.reach(index(artifact) + 1);
    return shelves_[index(artifact)];
  }
  static std::uint64_t key(WorkerId worker, ResultId artifact) {
    return (static_cast<std::uint64_t>(index(worker)) << 32) | index(artifact);
  }
  template <Links Record::*links>
  void link(std::uint32_t& first, std::uint32_t holding) {
    (records_[holding].*links).next = first;
    if (first != kNone) (records_[first].*links).prev = holding;
    first = holding;
  }
  template <Links Record::*links>
  void unlink(std::uint32_t& first, std::uint32_t holding) {
    const auto [prev, next] = records_[holding].*links;
    (prev == kNone ? first : (records_[prev].*links).next) = next;
    if (next != kNone) (records_[next].*links).prev = prev;
  }
  void count_in(Shelf& shelf, std::uint32_t holding);

  Pool<Record> records_;
  SteadyArray<Shelf> shelves_;
  SteadyArray<First> by_worker_;
  std::unordered_map<std::uint64_t, std::uint32_t> crowded_;
};

template <class Extra>
std::uint32_t Holdings<Extra>::find(WorkerId worker, ResultId artifact) const {
  if (!knows(artifact)) return kNone;
  const auto& shelf = shelves_[index(artifact)];
  if (shelf.is_crowded) {
    const auto found = crowded_.find(key(worker, artifact));
    return found == crowded_.end() ? kNone : found->second;
  }
  auto holding = shelf.first;
  while (holding != kNone && records_[holding].worker != worker) holding = records_[holding].of_artifact.next;
  return holding;
}

template <class Extra>
void Holdings<Extra>::count_in(Shelf& shelf, std::uint32_t holding) {
  ++shelf.count;
  if (shelf.count <= kFew && !shelf.is_crowded) return;
  const auto note = [&](std::uint32_t h) { crowded_[key(records_[h].worker, records_[h].artifact)] = h; };
  if (shelf.is_crowded) {
    note(holding);
    return;
  }
  shelf.is_crowded = 1;
  for (auto h = shelf.first; h != kNone; h = records_[h].of_artifact.next) note(h);
}

template <class Extra>
std::uint32_t Holdings<Extra>::add(WorkerId worker, ResultId artifact) {
  auto& on = shelf(artifact);
  if (on.first != kNone && find(worker, artifact) != kNone) return kNone;
  const auto holding = records_.take();
  records_[holding].worker = worker;
  records_[holding].artifact = artifact;
  by_worker_.reach(index(worker) + 1);
  link<&Record::of_artifact>(on.first, holding);
  link<&Record::of_worker>(by_worker_[index(worker)].first, holding);
  count_in(on, holding);
  return holding;
}

template <class Extra>
void Holdings<Extra>::remove(std::uint32_t holding) {
  const auto record = records_[holding];
  auto& on = shelf(record.artifact);
  if (on.is_crowded) crowded_.erase(key(record.worker, record.artifact));
  if (--on.count == 0) on.is_crowded = 0;
  unlink<&Record::of_artifact>(on.first, holding);
  unlink<&Record::of_worker>(by_worker_[index(record.worker)].first, holding);
  records_.give_back(holding);
}

}  // namespace weir
