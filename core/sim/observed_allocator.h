// An allocator that is looked at: passes everything on, and notes what figures are made of.
#pragma once

#include "core/model/placement.h"
#include "core/sim/decision_times.h"
#include "core/sim/meter.h"
#include "core/sim/numbers.h"

namespace weir::sim {

class ObservedAllocator final : public Allocator {
 public:
  ObservedAllocator(Allocator& inner, Meter& meter, DecisionTimes& times)
      : inner_(inner), meter_(meter), times_(times) {}

  void set_workers(std::int64_t workers, std::int64_t idle) override {
    meter_.set_places(workers);
    inner_.set_workers(workers, idle);
  }
  void job_waiting(ClassId work_class, BuildId build) override {
    meter_.job_waits(work_class);
    inner_.job_waiting(work_class, build);
  }
  std::optional<Start> next() override {
    times_.begin();
    return times_.timed([&] { return inner_.next(); });
  }
  void job_started(ClassId work_class, BuildId build) override {
    times_.timed([&] { inner_.job_started(work_class, build); });
  }
  void job_requeued(ClassId work_class, BuildId build) override {
    ++requeued_;
    inner_.job_requeued(work_class, build);
  }
  // Requestors are the numbers of classes, also where the allocator itself knows of none.
  ClassId class_of(std::string_view requestor) const override { return ClassId{number_in(requestor)}; }

  void job_withdrawn(ClassId work_class, BuildId build) override { inner_.job_withdrawn(work_class, build); }
  void job_ended(ClassId work_class, BuildId build) override { inner_.job_ended(work_class, build); }
  std::vector<Stop> to_stop(Time now) override { return inner_.to_stop(now); }
  std::optional<Time> next_check() const override { return inner_.next_check(); }
  void set_blocked(ClassId work_class, BuildId build, bool blocked) override {
    inner_.set_blocked(work_class, build, blocked);
  }
  std::string class_name(ClassId work_class) const override { return inner_.class_name(work_class); }
  std::string settings() const override { return inner_.settings(); }
  Status set(std::string_view name, std::string_view json) override { return inner_.set(name, json); }

  // Jobs that gave their place to other classes.
  std::uint64_t requeued() const { return requeued_; }

 private:
  Allocator& inner_;
  Meter& meter_;
  DecisionTimes& times_;
  std::uint64_t requeued_ = 0;
};

}  // namespace weir::sim
