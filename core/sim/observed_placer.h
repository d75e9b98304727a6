// A placer that is looked at: passes everything on, and notes what figures are made of.
#pragma once

#include "core/model/placement.h"
#include "core/sim/decision_times.h"
#include "core/sim/transfers.h"

namespace weir::sim {

class ObservedPlacer final : public Placer {
 public:
  ObservedPlacer(Placer& inner, Transfers& transfers, DecisionTimes& times)
      : inner_(inner), transfers_(transfers), times_(times) {}

  bool schedule(ResultId job, std::span<const ResultId> deps, Time now) override {
    const bool is_new = times_.timed([&] { return inner_.schedule(job, deps, now); });
    times_.job_admitted(job);
    return is_new;
  }
  std::optional<Pick> pick(WorkerId worker, Time now) override {
    times_.begin();
    const auto pick = times_.timed([&] { return inner_.pick(worker, now); });
    if (!pick) return pick;
    times_.job_picked(pick->job);
    transfers_.job_picked(worker, ElementId{index(pick->job)}, inner_);
    return pick;
  }

  void advance(Time now) override { inner_.advance(now); }
  std::optional<Time> next_timer() const override { return inner_.next_timer(); }
  void add_worker(WorkerId worker) override { inner_.add_worker(worker); }
  std::vector<ResultId> remove_worker(WorkerId worker, Time now) override {
    return inner_.remove_worker(worker, now);
  }
  void add_artifact(WorkerId worker, ResultId artifact, Time now) override {
    inner_.add_artifact(worker, artifact, now);
  }
  void remove_artifact(WorkerId worker, ResultId artifact, Time now) override {
    inner_.remove_artifact(worker, artifact, now);
  }
  bool holds(WorkerId worker, ResultId artifact) const override { return inner_.holds(worker, artifact); }
  std::optional<WorkerId> locate(ResultId artifact) const override { return inner_.locate(artifact); }
  bool withdraw(ResultId job, Time now) override { return inner_.withdraw(job, now); }
  void expect(std::span<const Ended> ended) override { inner_.expect(ended); }
  bool complete(WorkerId worker, ResultId job, bool ok, Time now) override {
    return inner_.complete(worker, job, ok, now);
  }
  std::optional<WorkerId> next_woken() override { return inner_.next_woken(); }

 private:
  Placer& inner_;
  Transfers& transfers_;
  DecisionTimes& times_;
};

}  // namespace weir::sim
