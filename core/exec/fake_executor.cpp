#include "core/exec/fake_executor.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"

namespace weir {

namespace {
constexpr std::uint64_t kCoresTimer = std::uint64_t{1} << 32;  // of the slot in the lower bits
}

FakeExecutor::Running& FakeExecutor::take_slot() {
  if (free_.empty()) return slots_.emplace_back();
  auto& slot = slots_[free_.back()];
  free_.pop_back();
  return slot;
}

// Only orders look a job up, and only a handful run at once; the way from start to end needs no search.
FakeExecutor::Running* FakeExecutor::find(JobId id) {
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](const Running& job) { return job.id == id; });
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
  job.cores = job.cores_held = spec->limits.cores;
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
  job.timer = timers_.set(clock_.now() + std::max(wait, Duration::zero()),
                          static_cast<std::uint64_t>(&job - slots_.data()));
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
  if (job->cores_timer == TimerQueue::Id::none) give_cores_back(*job);
}

void FakeExecutor::set_cores(JobId id, std::uint32_t cores) {
  auto* job = find(id);
  if (!job) return;
  WEIR_ASSERT(cores < job->cores_held || job->cores == job->cores_held,
              "job {} gets cores while it gives some back", index(id));
  job->cores = cores;
  job->cores_held = std::max(job->cores_held, cores);
  if (job->cores_held == cores || job->cores_timer != TimerQueue::Id::none) return;
  if (job->script.keeps_cores == Duration::zero()) return give_cores_back(*job);
  const auto slot = static_cast<std::uint64_t>(job - slots_.data());
  job->cores_timer = timers_.set(clock_.now() + job->script.keeps_cores, slot | kCoresTimer);
}

void FakeExecutor::give_cores_back(Running& job) {
  if (job.cores_held <= job.cores) return;
  job.cores_held = job.cores;
  job.sink->cores(job.id, job.cores);
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
  for (auto& job : slots_) {
    timers_.cancel(job.timer);
    timers_.cancel(job.cores_timer);
  }
  slots_.clear();
  free_.clear();
}

void FakeExecutor::fire(Time now) {
  while (const auto timer = timers_.pop_due(now)) {
    auto& job = slots_[*timer & ~kCoresTimer];
    if (!(*timer & kCoresTimer)) {
      due(job);
      continue;
    }
    job.cores_timer = TimerQueue::Id::none;
    if (!job.suspended) give_cores_back(job);
  }
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
  timers_.cancel(std::exchange(job.cores_timer, TimerQueue::Id::none));
  job.id = kNoJob;
  free_.push_back(static_cast<std::uint32_t>(&job - slots_.data()));
  job.sink->ended(id, std::move(result));
}

}  // namespace weir
