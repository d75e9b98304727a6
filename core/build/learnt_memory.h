// What memory an element asks for that does not say it itself (`memory = ...`):
//
//   it was built before          the most of its last five builds, and a little more
//   it was killed since          half as much again as it was seen with
//   never built, killed          more than half of all, so that no two of them run together
//   never built, and of a kind   likewise: it may be such a one
//   of which one was killed
//   never built                  the median of its kind; but never more than the share of a core, so that a
//                                guess does not keep cores idle
//   nothing of its kind was      nothing: on a first run all cores work, and the brake on pressure, the
//                                caution after a kill and the second attempt alone are there for what is too
//                                big
//
// Never more than there is: a job that needs all runs, and nobody beside it who needs any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/build/memory_peaks.h"
#include "core/project/project.h"

namespace weir {

class LearntMemory {
 public:
  // What there is in all, in bytes, and how many jobs may run at once.
  struct Machine {
    std::uint64_t memory = 0;
    std::uint64_t jobs = 1;
  };
  LearntMemory() = default;  // knows nothing
  // The project outlives it.
  LearntMemory(const MemoryPeaks& peaks, const Project& project, Machine machine);

  // Bytes; 0: it asks for none.
  std::uint64_t need(ElementIndex element) const;

 private:
  struct Kind {
    std::uint64_t median = 0;
    bool was_killed = false;
  };
  std::uint64_t guess(const Kind& kind) const;
  std::uint64_t rounded(std::uint64_t bytes) const;
  std::uint64_t more_than_half() const { return machine_.memory / 2 + 1; }

  Machine machine_;
  const Project* project_ = nullptr;
  std::vector<std::uint64_t>
      known_;  // bytes, by element; 0: never built and never killed. Empty: nothing is known of any.
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace weir
