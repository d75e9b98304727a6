// A report that also has something to say when nothing happens: a heartbeat, a display whose seconds go on.
// It says when it wants to be called; who calls it has the timer (core/cli/report_timer.h, or a test with a
// virtual clock).
#pragma once

#include <optional>

#include "core/base/clock.h"

namespace weir {

class TimedReport {
 public:
  virtual ~TimedReport() = default;
  // Nothing: not before the next event. Asked after every event and every call, so it must cost nothing.
  virtual std::optional<Time> next_call() const = 0;
  // At that time or later. On the loop's thread, as events are.
  virtual void call(Time now) = 0;
};

}  // namespace weir
