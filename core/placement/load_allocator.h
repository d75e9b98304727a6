// The allocator by load, kept up to date while jobs come and go. Its answers are those of allocate()
// (allocation.h) for the same state; what it adds is that most answers need no look at all classes:
//   - there are places for all that wait: everybody starts;
//   - there is one free place, the common case of a full cluster: the tournament's winner, O(log classes);
//   - several free places and more waiting jobs: allocate() once, then that plan is handed out until
//   something else
//     happens. Largest remainders are not monotone (one more place may take one from a class), so no order of
//     single decisions gives the same sums.
// Loans that are accounted for have no winner for one place (levels are compared after the share), so they
// take the plan.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/placement.h"
#include "core/placement/allocation.h"
#include "core/placement/build_rotation.h"
#include "core/placement/class_tournament.h"
#include "core/placement/requestor_map.h"

namespace weir {

struct LoadClass {
  std::string name;
  Decimal load;
  bool operator==(const LoadClass&) const = default;
};

struct LoadSettings {
  std::vector<LoadClass> classes;  // at least one, names unique
  Loans loans = Loans::plain;
  Decimal threshold{50};  // percent of the workers
  Duration min_duration = std::chrono::seconds(60);
};

class LoadAllocator final : public Allocator {
 public:
  static Result<std::unique_ptr<LoadAllocator>> make(LoadSettings settings);

  void set_workers(std::int64_t workers, std::int64_t idle) override;
  void job_waiting(ClassId work_class, BuildId build) override { change(work_class, build, 0, +1, 0); }
  void job_withdrawn(ClassId work_class, BuildId build) override { change(work_class, build, 0, -1, 0); }
  std::optional<Start> next() override;
  void job_started(ClassId work_class, BuildId build) override;
  void job_ended(ClassId work_class, BuildId build) override;
  void job_requeued(ClassId work_class, BuildId build) override;
  std::vector<Stop> to_stop(Time now) override;
  std::optional<Time> next_check() const override;
  void set_blocked(ClassId work_class, BuildId build, bool blocked) override;
  // The first rule that matches, or the class of the smallest load.
  ClassId class_of(std::string_view requestor) const override;
  std::string class_name(ClassId work_class) const override;
  std::string settings() const override;
  Status set(std::string_view name, std::string_view json) override;

  // Settings may change while jobs run. A bad value changes nothing and says why.
  const std::vector<LoadClass>& loads() const { return settings_.classes; }
  Status set_loads(const std::vector<LoadClass>& loads);  // of classes that exist; others keep theirs
  const std::vector<RequestorRule>& requestors() const { return requestors_.rules(); }
  Status set_requestors(std::vector<RequestorRule> rules);
  const Decimal& threshold() const { return settings_.threshold; }
  Status set_threshold(const Decimal& percent);
  Duration min_duration() const { return settings_.min_duration; }
  Status set_min_duration(Duration duration);

  const std::vector<std::int64_t>& target() const { return target_; }
  // Without the waiting jobs of builds that are blocked.
  const ClassJobs& jobs(ClassId work_class) const { return jobs_[index(work_class)]; }
  std::int64_t idle() const { return idle_; }
  std::int64_t spread() const { return tournament_.spread(); }  // in workers

 private:
  explicit LoadAllocator(LoadSettings settings);
  void loads_changed();
  void retarget();
  void refresh(std::uint32_t c);
  void change(ClassId work_class, BuildId build, std::int64_t running, std::int64_t waiting,
              std::int64_t idle);
  void count(std::uint32_t c, std::int64_t running, std::int64_t waiting, std::int64_t idle);
  std::uint32_t choose();
  std::uint32_t choose_rebalanced();
  std::uint32_t choose_planned();
  std::optional<std::uint32_t> find(std::string_view name) const;

  LoadSettings settings_;
  RequestorMap requestors_;
  std::vector<std::uint32_t> requestor_classes_;  // for each rule
  Weights weights_;
  std::vector<std::uint32_t> load_rank_;
  std::uint32_t smallest_ = 0;

  std::int64_t workers_ = 0, idle_ = 0, waiting_ = 0;
  std::vector<ClassJobs> jobs_;
  std::vector<std::int64_t> target_;
  // Some class with a load has no target by its load alone: who gets one then depends on who is active.
  bool targets_follow_activity_ = false;
  ClassTournament tournament_;
  BuildRotation builds_;

  // Starts that were decided together and are not handed out yet.
  struct Plan {
    std::vector<std::int64_t> left;
    std::int64_t total = 0;
    std::uint32_t at = 0;
  };
  Plan plan_;
  Plan rebalance_plan_;  // outlives what happens until the stopped jobs have ended
  std::vector<std::int64_t> stopping_;
  std::int64_t least_spread_ = 1;
  std::optional<Time> over_since_;
};

}  // namespace weir
