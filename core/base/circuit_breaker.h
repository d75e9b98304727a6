// Keeps off a worker or a remote that fails again and again.
//
//   closed --failures in a row--> open --cooldown over, one probe--> half-open --success--> closed
//                                   ^                                    |
//                                   +-------------- failure -------------+
//
// Half-open lets one caller through at a time. One thread; the clock is injected.
#pragma once

#include "core/base/clock.h"

namespace weir {

class CircuitBreaker {
 public:
  enum class State : unsigned char { closed, open, half_open };
  struct Limits {
    unsigned failures = 5;
    Duration cooldown = std::chrono::seconds(30);
  };

  CircuitBreaker(const Clock& clock, Limits limits) : clock_(clock), limits_(limits) {}

  // May a caller go ahead now? A yes in half-open is the probe: its caller owes a success() or failure() or
  // abandon().
  bool allow();
  void success();
  void failure();
  // The probe ended without an answer (cancelled): the next caller may probe.
  void abandon();
  // What was is forgotten: it is another worker now.
  void reset();

  State state() const;
  // When allow() is worth asking again; only while open.
  Time retry_at() const { return opened_at_ + limits_.cooldown; }

 private:
  void open();

  const Clock& clock_;
  Limits limits_;
  State state_ = State::closed;
  unsigned failures_ = 0;
  bool probing_ = false;
  Time opened_at_{};
};

}  // namespace weir
