#include "core/exec/bad_executor.h"

namespace weir {

void BadExecutor::ended(JobId job, JobResult result) {
  if (faults_.at_most == 0) {
    sink_->ended(job, std::move(result));
    return;
  }
  --faults_.at_most;
  if (random_.chance(faults_.lose)) return;
  if (random_.chance(faults_.duplicate)) sink_->ended(job, result);
  if (random_.chance(faults_.delay)) {
    late_[index(job)] = std::move(result);
    timers_.set(clock_.now() + faults_.late_by, index(job));
    return;
  }
  sink_->ended(job, std::move(result));
}

void BadExecutor::fire(Time now) {
  while (const auto id = timers_.pop_due(now)) {
    const JobId job{static_cast<std::uint32_t>(*id)};
    auto result = late_.extract(index(job));
    sink_->ended(job, std::move(result.mapped()));
  }
}

void BadExecutor::join() {
  inner_.join();
  while (timers_.next()) timers_.pop_due(*timers_.next());
  late_.clear();
}

}  // namespace weir
