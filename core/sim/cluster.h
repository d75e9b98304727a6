// A whole cluster on virtual time: the allocator says which build may start a job, its most urgent job goes
// to the placer, and workers with a free place pick. Results are pushed when they are made: a worker that
// fails takes with it what it runs and what it holds, and the next who needs an artifact that nobody holds
// gets it from the store, as far away as any worker.
#pragma once

#include <memory>
#include <queue>

#include "core/sim/run_figures.h"
#include "core/sim/run_input.h"
#include "core/sim/sim_build.h"

namespace weir::sim {

class Cluster {
 public:
  explicit Cluster(const RunInput& input);
  // False if workers fail faster than jobs end: it would never be over.
  bool run();
  RunFigures& figures() { return figures_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  enum class Kind : std::uint8_t { arrival, job_end, failure, repair };
  struct Event {
    Time at;
    std::uint64_t order;
    std::uint32_t id;     // build, job or worker
    std::uint32_t start;  // of the job
    Kind kind;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  struct Worker {
    std::uint32_t free = 0;
    bool is_up = true, is_slow = false;
  };
  // Most recently started last; who ended is still in it, with an older start.
  struct Started {
    ResultId job;
    std::uint32_t start;
  };

  void prepare_workers();
  void prepare_arrivals();
  std::optional<Time> next_moment() const;
  void apply_due();
  void apply(const Event& event);
  void settle();
  void move_clock(Time to);
  void at(Time time, Kind kind, std::uint32_t id, std::uint32_t start = 0);
  Duration exponential(double mean_s);

  void arrive(std::uint32_t build);
  void make_ready(ResultId job);
  void admit();
  void let_pick(WorkerId worker);
  void start(ResultId job, WorkerId worker);
  Duration move_inputs(ResultId job, WorkerId worker);
  void end(ResultId job);
  void drop_inputs(ResultId job);
  void forget(ResultId artifact);
  void preempt(const Allocator::Stop& stop);
  void requeue(ResultId job);
  void fail(WorkerId worker);
  void repair(WorkerId worker);
  void count_places();
  std::int64_t most_started() const;
  bool is_hopeless() const;

  SimBuild& build_of(ResultId job) { return *builds_[index(job) / input_.jobs_each]; }
  BuildId build_id(ResultId job) const { return BuildId{index(job) / input_.jobs_each}; }
  SimBuild::Job& job(ResultId id) { return build_of(id)[id]; }

  const RunInput& input_;
  std::unique_ptr<Allocator> allocator_;
  std::unique_ptr<Placer> placer_;
  Random random_;
  Time now_{};
  std::uint64_t next_order_ = 0;
  std::uint32_t next_start_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Worker> workers_;
  std::vector<std::unique_ptr<SimBuild>> builds_;
  std::vector<ClassId> class_of_build_;
  std::uint32_t builds_left_ = 0;
  std::int64_t places_ = 0, started_ = 0;
  std::vector<std::vector<Started>> started_by_class_;
  std::vector<WorkerId> freed_;  // have a place again and were not asked yet

  std::vector<std::int64_t> running_, waiting_;  // for each class: has a place; is ready or with the placer
  std::vector<std::int64_t> target_;
  Weights weights_;
  std::uint64_t inputs_ = 0, inputs_held_ = 0;
  double busy_s_ = 0, error_s_ = 0, critical_s_ = 0, work_s_ = 0;
  std::vector<float> admit_us_of_;  // of the jobs with the placer: the first half of their decision
  RunFigures figures_;
  Timeline timeline_;
};

}  // namespace weir::sim
