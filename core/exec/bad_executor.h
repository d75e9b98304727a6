// Wraps a sound executor and makes it behave as one far away on a bad day: ends are lost, come late, or come
// twice. What a job did is done all the same; only the news of it suffers. For tests and the simulator.
#pragma once

#include <unordered_map>

#include "core/base/random.h"
#include "core/base/timer_queue.h"
#include "core/base/virtual_source.h"
#include "core/model/executor.h"

namespace weir {

class BadExecutor final : public Executor, public VirtualSource, private JobSink {
 public:
  struct Faults {
    double lose = 0;       // chance that an end is never told
    double duplicate = 0;  // chance that it is told twice
    double delay = 0;      // chance that it comes late
    Duration late_by{};
    std::uint32_t at_most = 0xffffffff;  // ends that suffer; those after them are told as they are
    std::uint64_t seed = 1;
  };
  BadExecutor(Executor& inner, const Clock& clock, Faults faults)
      : inner_(inner), clock_(clock), faults_(faults), random_(faults.seed) {}

  void start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) override {
    sink_ = &sink;
    inner_.start(job, std::move(spec), *this);
  }
  void suspend(JobId job) override { inner_.suspend(job); }
  void resume(JobId job) override { inner_.resume(job); }
  void stop(JobId job, StopReason reason, Duration grace) override { inner_.stop(job, reason, grace); }
  void set_cores(JobId job, std::uint32_t cores) override { inner_.set_cores(job, cores); }
  void join() override;

  std::optional<Time> next() const override { return timers_.next(); }
  void fire(Time now) override;

 private:
  void started(JobId job, std::int64_t pid) override { sink_->started(job, pid); }
  void output(JobId job, std::string_view bytes) override { sink_->output(job, bytes); }
  void usage(JobId job, const Usage& usage) override { sink_->usage(job, usage); }
  void cores(JobId job, std::uint32_t cores) override { sink_->cores(job, cores); }
  void ended(JobId job, JobResult result) override;

  Executor& inner_;
  const Clock& clock_;
  Faults faults_;
  Random random_;
  JobSink* sink_ = nullptr;
  TimerQueue timers_;
  std::unordered_map<std::uint32_t, JobResult> late_;
};

}  // namespace weir
