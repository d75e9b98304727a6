// Runs a scheduler in real time on a Boost.Asio loop: asleep until the door is knocked at or a deadline
// comes, no polling. The loop's other customers (child processes, signals) share the thread.
#pragma once

#include <functional>
#include <memory>

#include "core/scheduler/scheduler.h"

namespace boost::asio {
class io_context;
}

namespace weir {

class AsioDriver {
 public:
  // Both outlive it. Takes over the door's on_wake.
  AsioDriver(boost::asio::io_context& loop, Scheduler& scheduler);
  ~AsioDriver();

  // Makes the loop take its first step.
  void start();
  // start(), then runs the loop until the run is over.
  void run();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace weir
