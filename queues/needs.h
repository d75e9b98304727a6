// What a job takes while it runs, and how its failures are retried.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/assert.h"
#include "core/model/ids.h"
#include "core/model/retry.h"
#include "resources/lanes.h"
#include "resources/ledger.h"

namespace weir {

struct JobNeeds {
  RequestId tokens{};
  std::vector<LaneAsk> lanes;
  RetryPolicy retry = RetryPolicy::defaults();
};

// The needs of each element in one queue. Elements with the same needs share one entry: two bytes an element.
class NeedsTable {
 public:
  explicit NeedsTable(JobNeeds usual) { distinct_.push_back(std::move(usual)); }

  void set(ElementId element, JobNeeds needs) {
    if (which_.size() <= index(element)) which_.resize(index(element) + 1, 0);
    WEIR_ASSERT(distinct_.size() < 0xffff, "{} distinct needs", distinct_.size());
    which_[index(element)] = static_cast<std::uint16_t>(distinct_.size());
    distinct_.push_back(std::move(needs));
  }
  const JobNeeds& of(ElementId element) const {
    return distinct_[index(element) < which_.size() ? which_[index(element)] : 0];
  }

 private:
  std::vector<JobNeeds> distinct_;
  std::vector<std::uint16_t> which_;
};

}  // namespace weir
