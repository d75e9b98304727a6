// The allocator of one machine: one class, whoever asked first starts first while there is a free place.
//
// A build's waiting jobs are counted in runs, one for each time that it asked with nobody else in between: a
// million jobs of one build are one record. Runs are numbered in the order of asking and do not overlap, so
// the build whose first run has the smallest number is next. A change costs O(log builds) at most, whatever
// waits.
#pragma once

#include <deque>
#include <set>

#include "core/model/placement.h"

namespace weir {

class NoneAllocator final : public Allocator {
 public:
  void set_workers(std::int64_t, std::int64_t idle) override { idle_ = idle; }
  void job_waiting(ClassId work_class, BuildId build) override;
  void job_withdrawn(ClassId work_class, BuildId build) override;
  std::optional<Start> next() override;
  void job_started(ClassId work_class, BuildId build) override;
  void job_ended(ClassId, BuildId) override { ++idle_; }
  // It asked long ago: before all that wait.
  void job_requeued(ClassId work_class, BuildId build) override;
  std::vector<Stop> to_stop(Time) override { return {}; }
  std::optional<Time> next_check() const override { return std::nullopt; }
  void set_blocked(ClassId work_class, BuildId build, bool blocked) override;

  ClassId class_of(std::string_view) const override { return ClassId{0}; }
  std::string class_name(ClassId) const override { return "default"; }
  std::string settings() const override { return "{}"; }
  Status set(std::string_view name, std::string_view json) override;

 private:
  struct Run {
    std::int64_t number;
    std::int64_t jobs;
  };
  struct Build {
    ClassId work_class{};
    bool is_blocked = false;
    std::deque<Run> runs;
  };

  Build& reach(ClassId work_class, BuildId build);
  void enter(BuildId build);
  void leave(BuildId build);
  void drop_first(BuildId build);

  std::int64_t idle_ = 0;
  std::int64_t next_number_ = 0, first_number_ = 0;
  std::vector<Build> builds_;
  std::set<std::pair<std::int64_t, std::uint32_t>> ready_;  // by the number of the first run
};

}  // namespace weir
