// What a job takes while it runs, and how its failures are retried.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/ids.h"
#include "core/model/retry.h"
#include "resources/lanes.h"
#include "resources/ledger.h"

namespace weir {

struct JobNeeds {
  RequestId tokens{};
  std::vector<LaneAsk> lanes;
  RetryPolicy retry = RetryPolicy::defaults();
  bool operator==(const JobNeeds&) const = default;
};

// The needs of each element in one queue. Elements with the same needs share one entry: four bytes an
// element.
//
// A copy is the same table: a run that takes in more elements sets their needs, and the queues, which have
// their own copies, see them. Thread: the loop's. What of() returns is good until the next set().
class NeedsTable {
 public:
  explicit NeedsTable(JobNeeds usual) : table_(std::make_shared<Table>()) {
    table_->distinct.push_back(std::move(usual));
  }

  void set(ElementId element, JobNeeds needs) {
    auto& which = table_->which;
    if (which.size() <= index(element)) which.resize(index(element) + 1, 0);
    which[index(element)] = intern(std::move(needs));
  }
  const JobNeeds& of(ElementId element) const {
    const auto& which = table_->which;
    return table_->distinct[index(element) < which.size() ? which[index(element)] : 0];
  }

 private:
  struct Table {
    std::vector<JobNeeds> distinct;
    std::vector<std::uint32_t> which;
  };
  // Neighbours are most often alike; a table of all that were seen would cost more than it saves.
  std::uint32_t intern(JobNeeds needs) {
    auto& distinct = table_->distinct;
    if (distinct.front() == needs) return 0;
    if (!(distinct.back() == needs)) distinct.push_back(std::move(needs));
    return static_cast<std::uint32_t>(distinct.size() - 1);
  }

  std::shared_ptr<Table> table_;
};

}  // namespace weir
