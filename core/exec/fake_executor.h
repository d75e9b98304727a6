// Runs jobs on virtual time, by a script. Suspended jobs do not age; a stopped job takes as long to die as
// its script says. A sound executor: every start is answered by exactly one end.
#pragma once

#include <functional>
#include <vector>

#include "core/base/timer_queue.h"
#include "core/base/virtual_source.h"
#include "core/model/executor.h"

namespace weir {

struct FakeJob {
  Duration duration{};
  JobResult result;
  Duration output_every{};  // zero: writes nothing
  Duration dies_after{};    // stopped: this long after TERM; more than the grace: killed at its end
  Duration keeps_cores{};   // asked for some of its cores: this long; zero: it used none of them
};

class FakeExecutor final : public Executor, public VirtualSource {
 public:
  using Script = std::function<FakeJob(JobId, const JobSpec&)>;
  FakeExecutor(const Clock& clock, Script script) : clock_(clock), script_(std::move(script)) {}

  void start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) override;
  void suspend(JobId job) override;
  void resume(JobId job) override;
  void stop(JobId job, StopReason reason, Duration grace) override;
  void set_cores(JobId job, std::uint32_t cores) override;
  void join() override;

  std::optional<Time> next() const override { return timers_.next(); }
  void fire(Time now) override;
  std::size_t running() const { return slots_.size() - free_.size(); }

 private:
  struct Running {
    JobId id = kNoJob;
    FakeJob script;
    JobSink* sink = nullptr;
    Duration left{};          // running time until its end
    Duration until_output{};  // likewise, until its next output
    Time since{};             // left and until_output count from here
    bool suspended = false;
    bool dying = false;
    std::uint32_t cores = 0;  // as set last
    std::uint32_t cores_held = 0;
    TimerQueue::Id cores_timer = TimerQueue::Id::none;
    TimerQueue::Id timer = TimerQueue::Id::none;
  };
  Running& take_slot();
  Running* find(JobId id);
  void age(Running& job);
  void arm(Running& job);
  void due(Running& job);
  void give_cores_back(Running& job);

  const Clock& clock_;
  Script script_;
  TimerQueue timers_;
  std::vector<Running> slots_;  // as many as run at once
  std::vector<std::uint32_t> free_;
};

}  // namespace weir
