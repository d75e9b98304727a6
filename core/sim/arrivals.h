// Builds come in when it is their time; the run does not end before the last one has.
#pragma once

#include "core/base/virtual_source.h"
#include "core/scheduler/door.h"
#include "core/sim/workload.h"

namespace weir::sim {

class Arrivals final : public VirtualSource {
 public:
  Arrivals(const Workload& workload, Door& door) : workload_(workload), door_(door) {
    door_.post(input::Expect{static_cast<int>(workload.builds().size())});
  }

  std::optional<Time> next() const override {
    if (next_ == workload_.builds().size()) return std::nullopt;
    return workload_.builds()[next_].arrival;
  }
  void fire(Time now) override {
    for (; next_ < workload_.builds().size() && workload_.builds()[next_].arrival <= now; ++next_) {
      // Who asks is the class itself: classes have no names that could be matched by rules.
      const auto work_class = index(workload_.builds()[next_].work_class);
      door_.post(input::Submit{std::to_string(work_class), workload_.elements_of(next_)});
      door_.post(input::Expect{-1});
    }
  }

 private:
  const Workload& workload_;
  Door& door_;
  std::size_t next_ = 0;
};

}  // namespace weir::sim
