// The jobs that run now, with all they hold. A slot is used again after its job has ended; the number of
// slots follows the number of jobs at once, not the number of elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/timer_queue.h"
#include "core/model/executor.h"
#include "core/model/ids.h"
#include "core/model/job_spec.h"
#include "core/model/placement.h"
#include "resources/lanes.h"
#include "resources/ledger.h"

namespace weir {

struct RunningJob {
  JobId id = kNoJob;
  ElementId element = kNoElement;
  std::uint32_t queue = 0;
  Ledger::Reservation tokens;
  // Cores beyond those of `tokens`, one each (scheduler_cores.cpp), and how many of them were asked for and
  // are not back yet.
  std::vector<Ledger::Reservation> grown;
  std::size_t asked_back = 0;
  Lanes::Hold lanes;
  std::shared_ptr<const JobSpec> spec;

  // Running time leaves out the time spent suspended; every limit is counted in it.
  Time running_since{};  // meaningless while suspended
  Duration ran_before{};
  Duration heard_at{};  // running time of its last output
  Duration alive_at{};  // running time of its last sign of life
  bool suspended = false;

  TimerQueue::Id limit_timer = TimerQueue::Id::none;
  TimerQueue::Id stop_timer = TimerQueue::Id::none;
  std::optional<StopReason> stopping;
  bool is_probe = false;        // of the circuit breaker
  WorkerId worker = kNoWorker;  // none: it is not placed
  bool preempted = false;       // told to stop for the sake of others

  Duration running_time(Time now) const {
    return suspended ? ran_before : ran_before + (now - running_since);
  }
};

class RunningJobs {
 public:
  std::uint32_t take_slot() {
    ++size_;
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const auto slot = free_.back();
    free_.pop_back();
    return slot;
  }
  // Gives back tokens and lanes.
  void free_slot(std::uint32_t slot) {
    slots_[slot] = RunningJob{};
    free_.push_back(slot);
    --size_;
  }
  RunningJob& operator[](std::uint32_t slot) { return slots_[slot]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Calls `visit` with each running job, oldest id first. It may stop or suspend, not end, jobs.
  template <class F>
  void for_each(F&& visit) {
    visit_all(slots_, visit);
  }
  template <class F>
  void for_each(F&& visit) const {
    visit_all(slots_, visit);
  }

 private:
  template <class Slots, class F>
  static void visit_all(Slots& slots, F& visit) {
    std::vector<decltype(slots.data())> all;
    for (auto& job : slots)
      if (job.id != kNoJob) all.push_back(&job);
    std::sort(all.begin(), all.end(),
              [](const auto* a, const auto* b) { return index(a->id) < index(b->id); });
    for (auto* job : all) visit(*job);
  }

  std::vector<RunningJob> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

}  // namespace weir
