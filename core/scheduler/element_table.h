// The state of every element: its phase, its queue and its job. move() is the only way a phase changes; it
// refuses a change that phase.h does not name, and keeps the counts that the loop and the end of the run ask
// for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/assert.h"
#include "core/model/ids.h"
#include "core/model/placement.h"
#include "core/scheduler/phase.h"

namespace weir {

class ElementTable {
 public:
  explicit ElementTable(std::size_t elements)
      : phase_(elements, Phase::idle),
        queue_(elements, 0),
        wanted_(elements, 0),
        job_(elements, kNoJob),
        build_(elements) {
    counts_[static_cast<std::size_t>(Phase::idle)] = elements;
  }

  std::size_t size() const { return phase_.size(); }
  Phase phase(ElementId id) const { return phase_[index(id)]; }
  std::size_t queue(ElementId id) const { return queue_[index(id)]; }
  bool wanted(ElementId id) const { return wanted_[index(id)] & kWanted; }
  bool dependencies_wanted(ElementId id) const { return wanted_[index(id)] & kDependenciesWanted; }
  // The job that waits or runs for it, or kNoJob.
  JobId job(ElementId id) const { return job_[index(id)]; }
  // Whose build wanted it first.
  BuildId build(ElementId id) const { return build_[index(id)]; }
  std::size_t count(Phase phase) const { return counts_[static_cast<std::size_t>(phase)]; }

  void move(ElementId id, Phase to) {
    auto& phase = phase_[index(id)];
    WEIR_ASSERT(may_follow(phase, to), "element {} goes from {} to {}", index(id), to_string(phase),
                to_string(to));
    --counts_[static_cast<std::size_t>(phase)];
    ++counts_[static_cast<std::size_t>(to)];
    phase = to;
  }
  void set_queue(ElementId id, std::size_t queue) { queue_[index(id)] = static_cast<std::uint8_t>(queue); }
  void set_job(ElementId id, JobId job) { job_[index(id)] = job; }
  void set_wanted(ElementId id, BuildId build) {
    wanted_[index(id)] |= kWanted;
    build_[index(id)] = build;
  }
  void set_dependencies_wanted(ElementId id) { wanted_[index(id)] |= kDependenciesWanted; }

 private:
  static constexpr std::uint8_t kWanted = 1, kDependenciesWanted = 2;
  std::vector<Phase> phase_;
  std::vector<std::uint8_t> queue_;
  std::vector<std::uint8_t> wanted_;
  std::vector<JobId> job_;
  std::vector<BuildId> build_;
  std::array<std::size_t, kPhases> counts_{};
};

}  // namespace weir
