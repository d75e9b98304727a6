// Runs jobs, wherever. The scheduler sees nothing else of how a job is run: locally, scripted on virtual
// time, or on another machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/clock.h"
#include "core/model/ids.h"
#include "core/model/job_result.h"
#include "core/model/job_spec.h"

namespace weir {

// Hears of jobs. Callable from any thread; calls of one job come in order. ended() comes exactly once from a
// sound executor; a sink must live with one that loses it or says it twice (ids are never used again, so late
// news of a job that is over is told from news of its successor).
class JobSink {
 public:
  virtual ~JobSink() = default;
  // With pid 0 while weir itself works for the job (staging, copies), and again when its first process is
  // there.
  virtual void started(JobId job, std::int64_t pid) = 0;
  virtual void output(JobId job, std::string_view bytes) = 0;  // the bytes are already in the log
  virtual void usage(JobId job, const Usage& usage) = 0;
  // It has only so many cores left, after set_cores asked for some of them back; not told of a job that has
  // ended.
  virtual void cores(JobId job, std::uint32_t cores) = 0;
  virtual void ended(JobId job, JobResult result) = 0;
};

enum class StopReason : std::uint8_t { cancelled, timeout, stall, preempted, shutdown };
std::string_view to_string(StopReason reason);

// All calls come from the loop's thread and never block, join() excepted. Calls about a job that has ended
// already are harmless: its end may be on its way.
class Executor {
 public:
  virtual ~Executor() = default;
  // The sink outlives the job. A job that cannot be started ends like any other: ended() with `infra`.
  virtual void start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) = 0;
  virtual void suspend(JobId job) = 0;
  virtual void resume(JobId job) = 0;
  // TERM to every process of the job, KILL after the grace; also if the job is suspended. With a grace of
  // zero KILL at once. The job ends as `cancelled`; the scheduler knows what the reason makes of that.
  virtual void stop(JobId job, StopReason reason, Duration grace) = 0;
  // How many cores the job may use from now on. More are its own at once. Fewer are asked for: those that it
  // uses come back when it is done with them, and the sink hears of each change until it has no more than
  // that. Until then only a still smaller number may be set.
  virtual void set_cores(JobId job, std::uint32_t cores) = 0;
  // Kills all that runs and returns when it is gone. No sink is called any more.
  virtual void join() = 0;
};

}  // namespace weir
