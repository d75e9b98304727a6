// How long a run is ready to wait for one remote, in all. What counts is the time in which something is
// wanted of it and it gives no sign of life: an answer, or a good piece of data. A short silence is normal
// and counts for nothing; a server that trickles bytes gives no signs. A remote whose share is used up is
// left alone for the rest of the run, so a dead, slow or half-open one costs a run little more than the
// budget, however many artifacts there are.
//
// One thread at a time; the time is passed in.
#pragma once

#include <cstdint>

#include "core/base/clock.h"

namespace weir {

class Patience {
 public:
  struct Limits {
    Duration budget = std::chrono::milliseconds(2500);
    Duration grace = std::chrono::milliseconds(250);  // a silence that is nobody's fault
    std::uint64_t piece = 16 << 10;                   // so many bytes are a sign of life
    // Whoever did not ask for so long was stopped itself (Ctrl-Z, a debugger): that is not the remote's
    // fault.
    Duration longest_gap = std::chrono::seconds(1);
  };
  explicit Patience(const Limits& limits) : limits_(limits) {}

  void began(Time now) {
    if (busy_++ == 0) since_ = asked_ = now;
  }
  void ended(Time now) {
    sign(now);
    --busy_;
  }
  // More bytes of any operation.
  void moved(Time now, std::uint64_t bytes) {
    if ((bytes_ += bytes) >= limits_.piece) sign(now);
  }
  // It answered a part of a question.
  void sign(Time now) {
    if (busy_ > 0) lost_ += silence(now);
    since_ = now;
    bytes_ = 0;
  }

  // To be asked again and again while something is under way.
  bool is_over(Time now) {
    if (busy_ > 0 && now - asked_ > limits_.longest_gap) since_ += now - asked_;
    asked_ = now;
    return left(now) <= Duration::zero();
  }
  Duration left(Time now) const {
    return limits_.budget - lost_ - (busy_ > 0 ? silence(now) : Duration::zero());
  }

 private:
  Duration silence(Time now) const { return std::max(now - since_ - limits_.grace, Duration::zero()); }

  Limits limits_;
  Duration lost_{};
  Time since_{};  // of the last sign
  Time asked_{};
  std::uint64_t bytes_ = 0;
  unsigned busy_ = 0;
};

}  // namespace weir
