#include "core/exec/fake_executor.h"

#include <algorithm>

namespace weir {

FakeExecutor::Running& FakeExecutor::take_slot() {
  if (free_.empty()) return slots_.emplace_back();
  auto& slot = slots_[free_.back()];
  free_.pop_back();
  return slot;
}

// Only orders look a job up, and only a handful run at once; the way from start to end needs no search.
FakeExecutor::Running* FakeExecutor::find(JobId id) {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Running& job) { return job.id == id; });
  return found == slots_.end() ? nullptr : &*found;
}

void FakeExecutor::start(JobId id, std::shared_ptr<const JobSpec> spec, JobSink& sink) {
  auto& job = take_slot();
  job.id = id;
  job.script = script_(id, *spec);
  job.sink = &sink;
  job.left = job.script.duration;
  job.until_output = job.script.output_every;
  job.since = clock_.now();
  job.suspended = job.dying = false;
  arm(job);
}

void FakeExecutor::age(Running& job) {
  const auto passed = job.suspended ? Duration::zero() : clock_.now() - job.since;
  job.left -= passed;
  job.until_output -= passed;
  job.since = clock_.now();
}

void FakeExecutor::arm(Running& job) {
  const bool writes = job.script.output_every > Duration::zero() && !job.dying;
  const auto wait = writes ? std::min(job.left, job.until_output) : job.left;
  job.timer = timers_.set(clock_.now() + std::max(wait, Duration::zero()), static_cast<std::uint64_t>(&job - slots_.data()));
}

void FakeExecutor::suspend(JobId id) {
  auto* job = find(id);
  if (!job || job->suspended || job->dying) return;
  age(*job);
  job->suspended = true;
  timers_.cancel(job->timer);
}

void FakeExecutor::resume(JobId id) {
  auto* job = find(id);
  if (!job || !job->suspended) return;
  age(*job);
  job->suspended = false;
  arm(*job);
}

void FakeExecutor::stop(JobId id, StopReason, Duration grace) {
  auto* job = find(id);
  if (!job) return;
  age(*job);
  timers_.cancel(job->timer);
  job->left = job->dying ? std::min(job->left, grace) : std::min(job->script.dies_after, grace);
  job->dying = true;
  job->suspended = false;
  arm(*job);
}

void FakeExecutor::join() {
  for (auto& job : slots_) timers_.cancel(job.timer);
  slots_.clear();
  free_.clear();
}

void FakeExecutor::fire(Time now) {
  while (const auto slot = timers_.pop_due(now)) due(slots_[*slot]);
}

void FakeExecutor::due(Running& job) {
  age(job);
  const auto id = job.id;
  if (job.left > Duration::zero()) {
    job.until_output = job.script.output_every;
    arm(job);
    job.sink->output(id, "x");
    return;
  }
  JobResult result = std::move(job.script.result);
  if (job.dying) result.ending = Ending::cancelled;
  job.id = kNoJob;
  free_.push_back(static_cast<std::uint32_t>(&job - slots_.data()));
  job.sink->ended(id, std::move(result));
}

}  // namespace weir
