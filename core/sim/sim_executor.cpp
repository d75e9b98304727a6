#include "core/sim/sim_executor.h"

#include "core/sim/numbers.h"

namespace weir::sim {

void SimExecutor::start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) {
  const ElementId element{number_in(spec->label)};
  const auto& taken = transfers_.taken(element);
  const auto working = seconds(workload_.job(element).duration) * fleet_.slowness(taken.worker);
  const auto end = clock_.now() + transfers_.time_for(taken.bytes_to_get) + from_seconds(working);
  running_.insert({index(job), {element, timers_.set(end, index(job)), &sink}});
  meter_.job_starts(element, clock_.now());
}

void SimExecutor::stop(JobId job, StopReason reason, Duration) {
  const auto found = running_.find(index(job));
  if (found == running_.end()) return;
  if (reason == StopReason::shutdown) ++lost_;
  timers_.cancel(found->second.timer);
  end(job, Ending::cancelled);
}

void SimExecutor::fire(Time now) {
  while (const auto job = timers_.pop_due(now))
    end(JobId{static_cast<std::uint32_t>(*job)}, Ending::succeeded);
}

void SimExecutor::end(JobId job, Ending ending) {
  const auto ended = running_.extract(index(job)).mapped();
  meter_.job_ends(ended.element, clock_.now());
  JobResult result;
  result.ending = ending;
  ended.sink->ended(job, std::move(result));
}

}  // namespace weir::sim
