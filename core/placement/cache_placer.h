// The cache-aware placer. In words: a waiting job can be taken by workers that hold its result; after
// cache_timeout, or at once if nobody holds it, also by workers that hold one of its dependencies;
// deps_timeout later by everybody.
//
// A job is not put into a queue for each worker that could take it: ten thousand workers may hold what a
// million jobs need. It stands once in the queue of each artifact that it needs, and a worker has a heap of
// the artifacts that it holds (offer_heap.h). So memory is a few records for each waiting job and each
// holding, and a pick looks at the top.
//
// Time-outs are the same for all jobs, so deadlines come in the order in which they are set: two lists are
// the timer heap. A job is in one of them, or in the global queue, or in the list of those that its worker
// runs; one link serves all four.
#pragma once

#include "core/base/random.h"
#include "core/model/placement.h"
#include "core/placement/holdings.h"
#include "core/placement/job_records.h"
#include "core/placement/offer_heap.h"
#include "core/placement/ordered_queue.h"

namespace weir {

enum class PickRule : std::uint8_t { cache_first, random };

struct CachePlacerSettings {
  Duration cache_timeout = std::chrono::seconds(1);
  Duration deps_timeout = std::chrono::seconds(60);
  PickRule pick = PickRule::cache_first;
  bool skip_empty_stages = true;
  std::uint64_t seed = 0;
};

class CachePlacer final : public Placer {
 public:
  explicit CachePlacer(const CachePlacerSettings& settings) : settings_(settings), random_(settings.seed) {}

  void advance(Time now) override {
    if (now >= nothing_due_before_) fire_timers(now);
  }
  std::optional<Time> next_timer() const override;
  void add_worker(WorkerId worker) override { known_worker(worker); }
  std::vector<ResultId> remove_worker(WorkerId worker, Time now) override;
  void add_artifact(WorkerId worker, ResultId artifact, Time now) override;
  void remove_artifact(WorkerId worker, ResultId artifact, Time now) override;
  bool holds(WorkerId worker, ResultId artifact) const override {
    return holdings_.find(worker, artifact) != kNone;
  }
  std::optional<WorkerId> locate(ResultId artifact) const override;
  bool schedule(ResultId job, std::span<const ResultId> deps, Time now) override;
  bool withdraw(ResultId job, Time now) override;
  std::optional<Pick> pick(WorkerId worker, Time now) override;
  void expect(std::span<const Ended> ended) override;
  bool complete(WorkerId worker, ResultId job, bool ok, Time now) override;
  std::optional<WorkerId> next_woken() override;

  // For people: the queues that a waiting job is in.
  struct Whereabouts {
    std::vector<WorkerId> result, dependency;
    bool global = false;
  };
  Whereabouts where(ResultId job) const;
  std::uint32_t waiting() const { return jobs_.used() - running_; }

 private:
  using Stage = JobRecords::Stage;
  using Job = JobRecords::Job;
  using Need = JobRecords::Need;
  // A job that is first in line, with its order.
  struct InLine {
    std::uint32_t job = kNone;
    std::uint64_t order = 0;
  };
  struct Artifact {
    std::uint32_t job = kNone;  // that makes it, while it waits or runs
    QueueEnds needers;          // from their dependency stage on
    InLine first_needer;        // kept here too: a pick then waits for one cache miss less
  };
  struct JobList {
    std::uint32_t first = kNone, last = kNone;
  };
  struct alignas(64) Worker {
    OfferHeap results, dependencies;
    JobList running;
    bool is_known = false, waits = false;
  };
  static_assert(sizeof(Worker) == 64);
  // Of a holding in the two heaps of its worker, where these are large.
  struct Positions {
    std::uint32_t result = kNone, dependency = kNone;
  };
  enum class Kind : bool { result, dependency };

  Artifact& artifact(ResultId id) { return holdings_.extra(id); }
  Worker& known_worker(WorkerId id) {
    workers_.reach(index(id) + 1);
    waiters_.reach(index(id) + 1);
    auto& worker = workers_[index(id)];
    worker.is_known = true;
    return worker;
  }
  OrderedQueue<JobRecords::NeedNodes> needers(Artifact& artifact) {
    return {JobRecords::NeedNodes(jobs_), artifact.needers};
  }
  OrderedQueue<JobRecords::JobNodes> global() { return {JobRecords::JobNodes(jobs_), global_}; }
  auto positions(Kind kind);
  InLine in_line(std::uint32_t job) const { return {job, jobs_[job].order}; }
  OfferHeap& heap_of(Worker& worker, Kind kind) {
    return kind == Kind::result ? worker.results : worker.dependencies;
  }

  void fire_timers(Time now);
  void start_timer(JobList& list, std::uint32_t job, Time when);
  void append(JobList& list, std::uint32_t job);
  void unlink(JobList& list, std::uint32_t job);
  JobList& list_of(const Job& job);
  void leave(std::uint32_t job);

  std::uint32_t likely_pick();
  void prefetch_ended(const Worker& worker, WorkerId id, ResultId job) const;
  void prefetch_needs(std::uint32_t job) const;
  void prefetch_offers(const Worker& worker) const;
  std::uint32_t first_offered(const Worker& worker) const;

  void wait_anew(std::uint32_t job, Time now);
  void enter_dependency(std::uint32_t job, Time since);
  void enter_global(std::uint32_t job, Time since);
  void finish(std::uint32_t job);
  bool has_held_need(std::uint32_t job) const;
  bool is_needed(std::uint32_t job, ResultId dep) const;
  void queue_need(std::uint32_t need);
  void unqueue_need(std::uint32_t need);

  void announce(ResultId artifact, InLine first, Kind kind);
  void offer(std::uint32_t holding, InLine first, Kind kind);
  InLine waiting_for(ResultId artifact, Kind kind);
  std::uint32_t best(Worker& worker, Kind kind);
  void take(std::uint32_t job, WorkerId worker);
  std::optional<PlaceQueue> choose(const std::uint32_t (&first)[3], Time now);
  void forget(std::uint32_t holding, Time now);
  void last_holder_left(ResultId artifact, Time now);
  void stop_waiting(WorkerId id);
  void wake(WorkerId id);

  const CachePlacerSettings settings_;
  Random random_;
  std::uint64_t next_order_ = 0;
  std::uint32_t running_ = 0;
  SteadyArray<Worker> workers_;
  SteadyArray<QueueLink> waiters_;  // of each worker, among those that wait
  JobRecords jobs_;
  Holdings<Artifact> holdings_;
  SteadyArray<Positions> positions_;
  JobList cache_timers_, dependency_timers_;
  Time nothing_due_before_ = Time::max();  // or even later
  QueueEnds global_;
  std::uint32_t first_waiter_ = kNone, last_waiter_ = kNone;
  std::vector<WorkerId> woken_;
  std::uint32_t will_pick_ = kNone;  // the worker whose job ended last
};

}  // namespace weir
