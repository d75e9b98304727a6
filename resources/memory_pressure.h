// How hard this machine looks for memory just now, and whether it is wise to start another job.
//
// The kernel says how much of the last ten seconds somebody stood still for want of memory
// (/proc/pressure/memory, and memory.pressure of the own cgroup v2: "some avg10"). Where it does not (PSI is
// off or not built in), what is available is the answer. Asked once a second at most; triggers would be told
// sooner, but many kernels refuse them.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "resources/cgroups.h"

namespace weir {

struct MemoryPressure {
  std::optional<double> stalled;  // percent of the last ten seconds; none: this kernel does not say
  std::uint64_t available = 0;    // bytes
};

class PressureSource {
 public:
  virtual ~PressureSource() = default;
  virtual MemoryPressure read() = 0;
};

class SystemPressure final : public PressureSource {
 public:
  explicit SystemPressure(ProbeRoots roots = {}) : roots_(std::move(roots)) {}
  MemoryPressure read() override;

 private:
  ProbeRoots roots_;
};

// Holds new jobs back while memory is short. Two thresholds, not one: around a single one a job would be let
// in and held back every second. It only says whether to start one more; who runs is never stopped, and
// whoever asks leaves it be when nothing runs, so that a machine which others have filled up still gets its
// work done, one job at a time.
class MemoryBrake {
 public:
  static constexpr double kHold = 10, kRelease = 5;  // percent, of `stalled`
  static constexpr Duration kPeriod = std::chrono::seconds(1);

  // `reserve`: without figures of stalls, less than this available holds, and twice as much releases.
  MemoryBrake(PressureSource& source, std::uint64_t reserve) : source_(source), reserve_(reserve) {}

  // Asks the source if what it said is a second old.
  bool holds(Time now);
  // When to ask again.
  Time next_look() const { return looked_at_ + kPeriod; }

 private:
  void look();

  PressureSource& source_;
  std::uint64_t reserve_;
  Time looked_at_{};
  bool has_looked_ = false;
  bool holds_ = false;
};

}  // namespace weir
