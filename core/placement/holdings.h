// Who holds what: a relation of workers and artifacts, walked from either side. A holding keeps its index until it is
// removed, so that others can keep tables beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/placement.h"
#include "core/placement/chunked.h"

namespace weir {

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
  Holding operator[](std::uint32_t holding) const { return {records_[holding].worker, records_[holding].artifact}; }

  std::uint32_t first_of(ResultId artifact) const {
    return index(artifact) < by_artifact_.size() ? by_artifact_[index(artifact)].first : kNone;
  }
  std::uint32_t first_of(WorkerId worker) const {
    return index(worker) < by_worker_.size() ? by_worker_[index(worker)].first : kNone;
  }
  std::uint32_t next_of_artifact(std::uint32_t holding) const { return records_[holding].of_artifact.next; }
  std::uint32_t next_of_worker(std::uint32_t holding) const { return records_[holding].of_worker.next; }
  bool is_held(ResultId artifact) const { return first_of(artifact) != kNone; }
  std::uint32_t count() const { return records_.used(); }

 private:
  struct Links {
    std::uint32_t prev = kNone, next = kNone;
  };
  struct Record {
    WorkerId worker{};
    ResultId artifact{};
    Links of_artifact, of_worker;
  };
  struct First {
    std::uint32_t first = kNone;
  };

  template <Links Record::*links>
  void link(std::uint32_t& first, std::uint32_t holding);
  template <Links Record::*links>
  void unlink(std::uint32_t& first, std::uint32_t holding);
  std::size_t home(WorkerId worker, ResultId artifact) const;
  std::size_t slot_of(WorkerId worker, ResultId artifact) const;
  void grow();
  void close_gap(std::size_t gap);

  Pool<Record> records_;
  Chunked<First> by_artifact_, by_worker_;
  std::vector<std::uint32_t> slots_;  // open addressing, at most two thirds full
};

}  // namespace weir
