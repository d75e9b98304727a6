// The heart of weir: moves elements through a row of queues and runs their jobs under tokens and lanes.
//
//   step(): take all inputs that are there, apply each; then, until nothing moves:
//     hand on what passed a queue; for each queue, LAST to first: classify what came in, start what is ready,
//     best
//     priority first, while tokens, lanes and a place can be had
// Last queue first, so that an element gets as far as it can as soon as it can and later stages are not
// starved of shared tokens.
//
// Thread: one. Only door() and the JobSink calls may be used from others; they post to the door, and on_wake
// tells the driver to call step() again (asio_driver.h for real time, virtual_driver.h for tests and the
// simulator). The scheduler never blocks and never looks at a clock but the one it was given. Lifetime: all
// Parts outlive it. Destroying it kills and joins all that it started.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/circuit_breaker.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/base/timer_queue.h"
#include "core/model/executor.h"
#include "core/model/graph.h"
#include "core/model/on_error.h"
#include "core/model/placement.h"
#include "core/scheduler/builds.h"
#include "core/scheduler/core_lender.h"
#include "core/scheduler/door.h"
#include "core/scheduler/emitter.h"
#include "core/scheduler/flow.h"
#include "core/scheduler/forecast.h"
#include "core/scheduler/oom_caution.h"
#include "core/scheduler/placing.h"
#include "core/scheduler/priority.h"
#include "core/scheduler/ready_jobs.h"
#include "core/scheduler/run_status.h"
#include "core/scheduler/run_summary.h"
#include "core/scheduler/running_jobs.h"
#include "queues/pipeline.h"
#include "resources/lanes.h"
#include "resources/ledger.h"
#include "resources/memory_pressure.h"

namespace weir {

struct SchedulerOptions {
  OnError on_error = OnError::quit;
  CircuitBreaker::Limits breaker;             // of the executor: infra and lost count against it
  Duration grace = std::chrono::seconds(10);  // between TERM and KILL
  // A stopped job whose end is not heard this long after its grace is lost.
  Duration stop_margin = std::chrono::seconds(10);
  // A job of which nothing at all is heard this long is lost; zero: executors that cannot lose a job.
  Duration lost_after{};
  std::uint64_t seed = 1;  // of the jitter
  std::string worker = "local";
  std::string requestor;  // who asked for the run
  // What is no part of the graph, since nothing about it has changed: it is counted as if it were.
  struct Unchanged {
    std::uint64_t elements = 0, edges = 0;
    std::uint64_t cached = 0;  // wanted, and there
  } unchanged;
  struct NotKept {
    std::string text;
    int exit;  // of a run in which nothing else failed
  };
  // Called when nothing is left to do, before run.end: waits until all that was made is kept. Trouble with
  // that fails the run.
  std::function<std::optional<NotKept>()> keep_all;
  // A person is asked about each failure (run.ask, input::Answer) instead of what on_error says.
  bool ask = false;
};

class Scheduler final : public JobSink {
 public:
  struct Parts {
    const Graph& graph;
    Row& row;
    Ledger& ledger;
    Lanes& lanes;
    Executor& executor;
    const Clock& clock;
    Emitter& events;
    // Nothing: all jobs run where the loop runs, and nobody shares with anybody.
    const PlacementParts* placement = nullptr;
    // Nothing: jobs start whatever this machine says of its memory.
    MemoryBrake* brake = nullptr;
    // Nothing: all tokens are the run's own.
    CoreLender* lender = nullptr;
  };

  // `weights` are recorded durations by element, in milliseconds; empty: all alike.
  // `recorded` are those that are known, 0 for others: for people.
  Scheduler(Parts parts, SchedulerOptions options, std::span<const std::uint32_t> weights = {},
            std::span<const std::uint32_t> recorded = {});
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Called once, before the first step. `planned` is the part of the graph that the run begins with, by
  // default all of it.
  void start(std::span<const ElementId> wanted);
  void start(std::span<const ElementId> wanted, std::span<const ElementId> planned);
  // Does all that can be done now. Returns the time by which it has to be called again even if nothing comes
  // in.
  std::optional<Time> step();
  bool finished() const { return summary_.has_value(); }
  const RunSummary& summary() const { return *summary_; }

  Door& door() { return door_; }
  // On the loop's thread, for those who answer people (scheduler_status.cpp, scheduler_placement.cpp).
  RunStatus status() const;
  // The job of that number, or of the element of that name, if it waits or runs.
  Result<JobId> find_job(std::string_view text) const;
  Result<JobId> find_running(std::string_view text) const;  // that runs, or is suspended
  // Nothing new is taken in: it failed, or somebody wants it to end.
  bool asking() const { return asking_ != Asking::nothing; }  // a person, who has not answered yet
  bool closing() const { return closing_ || cancelled_exit_ || finished(); }
  Result<WorkerId> find_worker(std::string_view name) const;
  std::string placement_settings() const;  // a JSON object
  Status set_placement(std::string_view name, std::string_view json);
  const Flow& flow() const { return flow_; }
  std::size_t running() const { return running_.size(); }

  void started(JobId job, std::int64_t pid) override { door_.post(input::JobStarted{job, pid}); }
  void output(JobId job, std::string_view) override { door_.post(input::JobOutput{job}); }
  void usage(JobId job, const Usage&) override { door_.post(input::JobUsage{job}); }
  void cores(JobId job, std::uint32_t cores) override { door_.post(input::JobCores{job, cores}); }
  void ended(JobId job, JobResult result) override { door_.post(input::JobEnded{job, std::move(result)}); }

 private:
  // Which element and queue a job is for, and where its running record is.
  struct JobRow {
    ElementId element;
    std::uint32_t queue : 8;
    std::uint32_t ran : 1;
    std::uint32_t slot : 23;
  };
  static constexpr std::uint32_t kNoSlot = 0x7fffff;
  struct Attempts {
    std::array<std::uint8_t, kFailures> retried{};
    std::uint32_t made = 0;  // attempts that count
    Failure last = Failure::none;
    std::optional<RequestId> alone;  // was killed for want of memory: what it asks for since
  };
  // Seconds of an element's jobs: what waits for nobody, what waits for dependencies, and what nobody waits
  // for.
  struct Spent {
    float before = 0, making = 0, after = 0;
  };
  enum class Timer : std::uint8_t { limit, stop, backoff, breaker, worker, memory };

  // scheduler.cpp: the loop
  void apply(LoopInput& input);
  void fire(std::uint64_t timer);
  bool round();
  bool classify_arrivals(std::size_t queue);
  bool start_ready(std::size_t queue);
  bool may_start(std::size_t queue) const;
  TimerQueue::Id set_timer(Time at, Timer kind, std::uint32_t id);

  // scheduler_jobs.cpp: the life of a job
  void schedule_job(ElementId element);
  void make_ready(ElementId element);
  bool try_start(std::size_t queue, ReadyJobs::Best best);
  Ledger::Reservation reserve(std::size_t queue, ReadyJobs::Best best);
  void granted(std::size_t queue, ReadyJobs::Best best);
  void start_job(ElementId element, Ledger::Reservation tokens, bool is_probe, WorkerId worker = kNoWorker);
  void job_ended(JobId job, JobResult result);
  void finish_job(RunningJob& job, JobResult& result);
  void job_over(JobId job, ElementId element, const JobResult& result);
  bool retry(JobId job, ElementId element, const JobResult& result);
  void fail_element(ElementId element, Failure failure, Why why = Why::none, std::string_view words = {});
  void fail_element(ElementId element, Failure failure, Why why, std::string_view words, OnError policy);
  void note_health(const RunningJob& job, const JobResult& result);
  void note_spent(ElementId element, std::size_t queue, Duration wall);
  RunningJob* running(JobId job);
  JobRow& row_of(JobId job) { return jobs_[index(job)]; }

  // scheduler_memory.cpp: who is held back for the sake of memory, and who runs alone
  bool computes(RequestId request) const;
  bool need_is_unknown(RequestId request) const;
  bool others_compute(RequestId request) const;
  bool hold_back_for_memory(std::size_t queue, ReadyJobs::Best best);
  void report_memory_wait(ReadyJobs::Bucket& bucket, ElementId element, std::string_view reason);
  void note_memory(const RunningJob& job, const JobResult& result);
  RequestId request_of(ElementId element);
  RequestId alone(RequestId usual);

  // scheduler_cores.cpp: running jobs get more cores, and give them back
  std::int64_t least_cores(const RunningJob& job) const;
  std::int64_t cores_of(const RunningJob& job) const;
  bool may_grow(const RunningJob& job) const;
  void begin_cores(RunningJob& job);
  void take_loan();
  void share_cores();
  void grow();
  void shrink(std::int64_t cores);
  void ask_back(RunningJob& job, std::size_t cores);
  void cores_came_back(const input::JobCores& news);
  void report_cores(const RunningJob& job);

  // scheduler_placement.cpp: whose turn it is, and where it runs
  void set_up_placement(const PlacementParts& parts);
  void start_workers();
  void follow_slots();
  BuildId add_build(std::string requestor);
  bool is_placed(std::size_t queue) const;
  ResultId result_of(ElementId element) const;
  std::vector<ResultId> artifacts_for(ElementId element) const;
  void recount_places();
  void foretell_ends();
  bool start_placed();
  bool admit(BuildId build);
  void place(ElementId element, Ledger::Reservation tokens);
  void block(BuildId build);
  void unblock(BuildId build);
  void unblock_builds();
  bool let_pick();
  bool wake_workers();
  bool let_pick(WorkerId worker);
  void wait_for_worker(WorkerId worker);
  void take(WorkerId worker, ElementId element, bool is_probe);
  void move_artifacts(WorkerId to, ElementId element);
  void leave_worker(const RunningJob& job, const JobResult& result);
  void withdraw_placed(ElementId element);
  bool rebalance();
  bool stop_newest(const Allocator::Stop& order);
  void drop_ended(std::vector<JobId>& jobs);
  enum class Preempted : std::uint8_t { no, stopping, at_once };
  Preempted preempt(JobId job);
  void put_back(ElementId element);
  void put_back_beyond(TokenId token);
  void report_unpicked();
  void report_unplaced();
  void check_placement();
  std::optional<Time> next_placement() const;

  // scheduler_workers.cpp: what becomes of workers
  std::string_view place_name() const;
  void order_worker(WorkerId worker, WorkerOrder order);
  void drain_worker(WorkerId worker);
  void remove_worker(WorkerId worker);
  void lose_worker(WorkerId worker);
  void let_go(WorkerId worker);
  void bring_back(WorkerId worker);
  void worker_cooled_down(WorkerId worker);
  void report_worker(WorkerId worker);
  void report_standstill();

  // scheduler_ask.cpp: a person decides
  void hold(JobId job, ElementId element, Failure failure);
  bool drop_held(ElementId element);
  void interrupt();
  void ask_next();
  void answer(input::Choice choice);
  void answer_failure(input::Choice choice);
  void answer_interrupt(input::Choice choice);
  void fail_held(OnError policy);
  void report_answer(std::string_view text);
  void stop_asking();

  // scheduler_control.cpp: limits, suspend, stop, cancel
  void submit(input::Submit& submission);
  Executor& executor_of(const RunningJob& job) {
    return job.worker == kNoWorker ? executor_ : *placing_->workers[job.worker].executor;
  }
  void cancel_job(JobId job);
  void cancel_waiting(ElementId element);
  void cancel_jobs();
  void cancel_run(const input::CancelRun& order);
  void close();
  void suspend(RunningJob& job);
  void resume(RunningJob& job);
  void suspend_all();
  void resume_all();
  void set_tokens(const input::SetTokens& change);
  void stop(RunningJob& job, StopReason reason);
  void process_started(const input::JobStarted& news);
  void heard(JobId job, bool output);
  void arm_limits(RunningJob& job);
  void check_limits(RunningJob& job);
  void declare_lost(RunningJob& job, std::string evidence);
  void withdraw(ElementId element, Ending ending);
  void leave_line(ElementId element);
  std::vector<ElementId> waiting_jobs() const;

  std::vector<RunStatus::ClassLine> class_lines() const;

  // scheduler_report.cpp: events and the end
  void report_wait(ReadyJobs::Bucket& bucket, ElementId element, std::string_view what,
                   const Shortage* shortage);
  void report_ready(ElementId element, bool in_lane);
  void report_start(const RunningJob& job);
  void report_end(JobId job, ElementId element, std::size_t queue, const JobResult& result,
                  const JobSpec* spec);
  bool over() const;
  void finish();
  void settle_unfinished();
  struct CriticalPath {
    double seconds = 0;
    std::vector<std::uint64_t> jobs;
  };
  CriticalPath critical_path() const;
  std::vector<std::uint64_t> jobs_of_chain(std::span<const ElementId> chain) const;
  void assert_clean() const;

  const Graph& graph_;
  Ledger& ledger_;
  Lanes& lanes_;
  Executor& executor_;
  const Clock& clock_;
  Emitter& events_;
  CoreLender* lender_;
  SchedulerOptions options_;

  Door door_;
  Forecast forecast_;
  Flow flow_;
  PriorityOrder order_;
  std::vector<ReadyJobs> ready_;  // by queue
  std::vector<JobRow> jobs_;      // by job id
  std::optional<TokenId> cores_;  // the token that is cores; a run may have none
  std::optional<RequestId> one_core_;
  std::size_t elastic_ = 0;  // running jobs that may have more cores than they asked for
  RunningJobs running_;
  std::unordered_map<std::uint32_t, Attempts> attempts_;        // by element; only those that failed before
  std::unordered_map<std::uint32_t, Lanes::Ticket> tickets_;    // by element; only jobs that ask for lanes
  std::unordered_map<std::uint32_t, TimerQueue::Id> backoffs_;  // by element
  std::vector<Spent> spent_;                                    // by element
  Builds builds_;
  std::optional<Placing> placing_;
  TimerQueue timers_;
  CircuitBreaker health_;
  TimerQueue::Id breaker_timer_ = TimerQueue::Id::none;
  Random random_;
  struct {
    std::optional<TokenId> process, memory;
  } machine_;  // tokens that stand for what this machine has
  MemoryBrake* brake_;
  TimerQueue::Id memory_timer_ = TimerQueue::Id::none;
  OomCaution caution_;
  std::size_t unknown_running_ = 0;  // jobs that compute and do not say what memory they take
  std::vector<LoopInput> inputs_;    // reused by step()

  Time now_{};
  std::uint64_t epoch_ = 1;  // what was refused is worth asking again when it has changed
  int expected_ = 0;         // builds that are being planned
  bool paused_ = false;
  // Failures that a person will be asked about, first come first asked. Their elements are in backoff.
  struct Held {
    JobId job;
    ElementId element;
    Failure failure;
  };
  std::deque<Held> held_;
  bool interrupted_ = false;  // a person will be asked about an interrupt; comes before failures
  enum class Asking : std::uint8_t { nothing, failure, interrupt };
  Asking asking_ = Asking::nothing;
  bool closing_ = false;
  std::optional<int> cancelled_exit_;
  std::uint32_t failures_seen_ = 0;  // a bit per Failure
  bool plugin_fault_ =
      false;  // weir or a plugin broke its own rules: that is the exit code, whatever else failed
  std::optional<RunSummary> summary_;
};

}  // namespace weir
