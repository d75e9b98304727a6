// Runs the jobs of all simulated workers: one takes as long as its inputs take to come, and then its
// duration, longer on a slow worker. What is stopped ends at once, whether it is preempted or its worker
// failed.
#pragma once

#include <unordered_map>

#include "core/base/timer_queue.h"
#include "core/base/virtual_source.h"
#include "core/model/executor.h"
#include "core/sim/fleet.h"
#include "core/sim/meter.h"
#include "core/sim/transfers.h"

namespace weir::sim {

class SimExecutor final : public Executor, public VirtualSource {
 public:
  SimExecutor(const Clock& clock, const Workload& workload, const Fleet& fleet, const Transfers& transfers,
              Meter& meter)
      : clock_(clock), workload_(workload), fleet_(fleet), transfers_(transfers), meter_(meter) {}

  void start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) override;
  void stop(JobId job, StopReason reason, Duration grace) override;
  // Nobody suspends a simulated job, and how many cores it has changes nothing.
  void suspend(JobId) override {}
  void resume(JobId) override {}
  void set_cores(JobId, std::uint32_t) override {}
  void join() override { running_.clear(); }

  std::optional<Time> next() const override { return timers_.next(); }
  void fire(Time now) override;

  std::uint64_t lost() const { return lost_; }

 private:
  struct Running {
    ElementId element;
    TimerQueue::Id timer;
    JobSink* sink;
  };
  void end(JobId job, Ending ending);

  const Clock& clock_;
  const Workload& workload_;
  const Fleet& fleet_;
  const Transfers& transfers_;
  Meter& meter_;
  TimerQueue timers_;
  std::unordered_map<std::uint32_t, Running> running_;  // by job
  std::uint64_t lost_ = 0;
};

}  // namespace weir::sim
