// What the local executor knows of one job. For core/exec/local_executor.cpp only.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include "core/exec/job_cores.h"
#include "core/exec/job_log.h"
#include "core/exec/job_process.h"
#include "core/model/executor.h"

namespace weir {

// Running time: the steady clock without the stretches in which the job was suspended.
class RunningTime {
 public:
  explicit RunningTime(Time begin) : begin_(begin) {}
  void suspend(Time now) { stretches_.push_back({now, Time::max()}); }
  void resume(Time now) { stretches_.back().second = now; }
  Duration between(Time from, Time to) const {
    auto result = to - from;
    for (const auto& [begin, end] : stretches_) {
      const auto overlap = std::min(to, end) - std::max(from, begin);
      if (overlap > Duration::zero()) result -= overlap;
    }
    return result;
  }
  Duration until(Time now) const { return between(begin_, now); }

 private:
  Time begin_;
  std::vector<std::pair<Time, Time>> stretches_;
};

struct LocalJob {
  LocalJob(JobId id_, std::shared_ptr<const JobSpec> spec_, JobSink& sink_, std::string log_path, Time now)
      : id(id_), spec(std::move(spec_)), sink(sink_), log(std::move(log_path)), time(now) {}

  const JobId id;
  const std::shared_ptr<const JobSpec> spec;
  JobSink& sink;
  JobLog log;
  RunningTime time;
  std::size_t next_step = 0;
  std::size_t first_of_process = 0;     // the step that is step 0 of the weir-init that runs
  std::shared_ptr<JobProcess> process;  // while one runs
  std::vector<StagedInput> inputs;
  bool no_libraries = false;  // where LD_LIBRARY_PATH leads
  bool staged = false;
  bool collected = false;
  std::string shape;  // of the sandbox that serves it and others; empty: none does
  std::unique_ptr<JobCgroup> cgroup;
  std::uint64_t oom_kills_before = 0;
  std::uint64_t oom_kills_around_before = 0;  // of all that share weir's cgroup
  std::vector<int> cpus;                      // it is pinned to; empty: all
  std::uint32_t cores = 0;                    // as set_cores wants it; 0: not asked
  std::shared_ptr<JobCores> jobserver;        // if it shares its cores by one
  std::optional<boost::asio::steady_timer> grace;
  std::atomic<bool> cancelled = false;  // read by in-process steps
  bool started = false;
  bool process_told = false;  // the sink knows the pid
  bool suspended = false;
  bool stopping = false;
  bool killed = false;
  bool in_arena = false;
  bool finished = false;  // its result is made; ended() is on its way
  JobResult result;
};

}  // namespace weir
