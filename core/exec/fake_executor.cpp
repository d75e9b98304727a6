#include "core/exec/fake_executor.h"

#include <algorithm>

namespace weir {

void FakeExecutor::start(JobId id, std::shared_ptr<const JobSpec> spec, JobSink& sink) {
  auto& job = jobs_[index(id)];
  job.script = script_(id, *spec);
  job.sink = &sink;
  job.left = job.script.duration;
  job.until_output = job.script.output_every;
  job.since = clock_.now();
  arm(id, job);
}

void FakeExecutor::age(Running& job) {
  const auto passed = job.suspended ? Duration::zero() : clock_.now() - job.since;
  job.left -= passed;
  job.until_output -= passed;
  job.since = clock_.now();
}

void FakeExecutor::arm(JobId id, Running& job) {
  const bool writes = job.script.output_every > Duration::zero() && !job.dying;
  const auto wait = writes ? std::min(job.left, job.until_output) : job.left;
  job.timer = timers_.set(clock_.now() + std::max(wait, Duration::zero()), index(id));
}

void FakeExecutor::suspend(JobId id) {
  const auto found = jobs_.find(index(id));
  if (found == jobs_.end() || found->second.suspended || found->second.dying) return;
  age(found->second);
  found->second.suspended = true;
  timers_.cancel(found->second.timer);
}

void FakeExecutor::resume(JobId id) {
  const auto found = jobs_.find(index(id));
  if (found == jobs_.end() || !found->second.suspended) return;
  age(found->second);
  found->second.suspended = false;
  arm(id, found->second);
}

void FakeExecutor::stop(JobId id, StopReason, Duration grace) {
  const auto found = jobs_.find(index(id));
  if (found == jobs_.end()) return;
  auto& job = found->second;
  age(job);
  timers_.cancel(job.timer);
  job.left = job.dying ? std::min(job.left, grace) : std::min(job.script.dies_after, grace);
  job.dying = true;
  job.suspended = false;
  arm(id, job);
}

void FakeExecutor::join() {
  for (auto& [id, job] : jobs_) timers_.cancel(job.timer);
  jobs_.clear();
}

void FakeExecutor::fire(Time now) {
  while (const auto id = timers_.pop_due(now)) due(JobId{static_cast<std::uint32_t>(*id)});
}

void FakeExecutor::due(JobId id) {
  auto& job = jobs_.at(index(id));
  age(job);
  if (job.left > Duration::zero()) {
    job.until_output = job.script.output_every;
    job.sink->output(id, "x");
    arm(id, job);
    return;
  }
  auto* sink = job.sink;
  JobResult result = std::move(job.script.result);
  if (job.dying) result.ending = Ending::cancelled;
  jobs_.erase(index(id));
  sink->ended(id, std::move(result));
}

}  // namespace weir
