// Time as weir sees it. Everything that waits is given a Clock, so that a whole schedule runs on virtual time
// in tests and in the simulator.
#pragma once

#include <chrono>

namespace weir {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

class SteadyClock final : public Clock {
 public:
  Time now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
  }
};

// Stands still until told otherwise. Not for several threads.
class VirtualClock final : public Clock {
 public:
  Time now() const override { return now_; }
  void advance(Duration by) { now_ += by; }
  void advance_to(Time time) {
    if (time > now_) now_ = time;
  }

 private:
  Time now_{};
};

}  // namespace weir
