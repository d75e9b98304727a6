// What a job takes while it runs, and how its failures are retried.
#pragma once

#include <cstdint>
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

// The needs of each element in one queue. Elements with the same needs share one entry: four bytes an element.
class NeedsTable {
 public:
  explicit NeedsTable(JobNeeds usual) { distinct_.push_back(std::move(usual)); }

  void set(ElementId element, JobNeeds needs) {
    if (which_.size() <= index(element)) which_.resize(index(element) + 1, 0);
    which_[index(element)] = intern(std::move(needs));
  }
  const JobNeeds& of(ElementId element) const {
    return distinct_[index(element) < which_.size() ? which_[index(element)] : 0];
  }

 private:
  // Neighbours are most often alike; a table of all that were seen would cost more than it saves.
  std::uint32_t intern(JobNeeds needs) {
    if (distinct_.front() == needs) return 0;
    if (!(distinct_.back() == needs)) distinct_.push_back(std::move(needs));
    return static_cast<std::uint32_t>(distinct_.size() - 1);
  }

  std::vector<JobNeeds> distinct_;
  std::vector<std::uint32_t> which_;
};

}  // namespace weir
