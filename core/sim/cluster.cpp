#include "core/sim/cluster.h"

#include "core/base/assert.h"
#include "core/placement/load_allocator.h"
#include "core/placement/local_placer.h"
#include "core/placement/none_allocator.h"
#include "core/sim/job_queue.h"

namespace weir::sim {

namespace {

std::unique_ptr<Allocator> make_allocator(const RunInput& input) {
  if (!input.by_load) return std::make_unique<NoneAllocator>();
  auto made = LoadAllocator::make(input.loads);
  WEIR_ASSERT(made.has_value(), "settings were checked: {}", made.error().message);
  return std::move(*made);
}

std::unique_ptr<Placer> make_placer(const RunInput& input) {
  if (!input.cache_aware) return std::make_unique<LocalPlacer>();
  return std::make_unique<CachePlacer>(input.placer);
}

// One job that is lost as often as it can be tried again is enough to give up.
SchedulerOptions options() {
  SchedulerOptions out;
  out.on_error = OnError::terminate;
  out.requestor = "0";
  return out;
}

}  // namespace

Cluster::Cluster(const RunInput& input)
    : input_(input),
      fleet_(input),
      workload_(input),
      meter_(input, workload_),
      transfers_(input, workload_),
      times_(workload_.graph().size()),
      executor_(clock_, workload_, fleet_, transfers_, meter_),
      allocator_(make_allocator(input)),
      placer_(make_placer(input)),
      observed_allocator_(*allocator_, meter_, times_),
      observed_placer_(*placer_, transfers_, times_),
      row_(make_row()),
      events_(clock_),
      placement_{observed_allocator_, observed_placer_, fleet_.specs(executor_), {}},
      scheduler_({workload_.graph(), row_, ledger_, lanes_, executor_, clock_, events_, &placement_},
                 options(), workload_.weights()),
      arrivals_(workload_, scheduler_.door()),
      end_of_time_(scheduler_.door()) {
  fleet_.report_to(scheduler_.door());
}

Row Cluster::make_row() {
  const auto no_tokens = ledger_.intern({});
  WEIR_ASSERT(no_tokens.has_value(), "nothing is asked for: {}", no_tokens.error().message);
  Row row;
  row.queues.push_back(std::make_unique<JobQueue>(workload_.graph(), *no_tokens));
  row.makes = 0;
  return row;
}

std::optional<Time> Cluster::EndOfTime::next() const {
  if (is_reached_) return std::nullopt;
  return kEndOfTime;
}

void Cluster::EndOfTime::fire(Time now) {
  if (is_reached_ || now < kEndOfTime) return;
  is_reached_ = true;
  door_.post(input::CancelRun{});
}

Status Cluster::run() {
  VirtualDriver driver(scheduler_, clock_, {&meter_, &executor_, &fleet_, &arrivals_, &end_of_time_});
  scheduler_.start({});
  const bool is_over = driver.run();
  WEIR_ASSERT(is_over, "jobs wait for nothing");
  if (end_of_time_.is_reached()) return fail(Reason::usage, "$.builds: take more than a hundred years");
  if (scheduler_.summary().ending != Ending::succeeded)
    return fail(Reason::usage, "$.faults.worker_mtbf_s: workers fail faster than jobs end");
  return {};
}

RunFigures Cluster::take_figures() {
  RunFigures figures;
  for (const auto& one : input_.loads.classes) figures.classes.push_back(one.name);
  figures.jobs = scheduler_.summary().counts.built;
  figures.preempted = observed_allocator_.requeued();
  figures.lost_and_rerun = executor_.lost();
  meter_.sum_up(figures);
  transfers_.sum_up(figures);
  figures.wait_s = std::move(meter_.wait_s());
  figures.decision_us = std::move(times_.all_us());
  figures.decisions = figures.decision_us.size();
  return figures;
}

}  // namespace weir::sim
