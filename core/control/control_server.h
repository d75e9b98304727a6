// The door of a run for those outside of it: listens on the socket in the run's folder, and lets each request
// line of each client become a call of RunControl, on the loop's thread.
//
// A connection is served one request at a time and read no further while its answer is on the way, so what it
// can make weir hold is one request and one answer. Between two requests everybody else has a turn. Who
// begins a request and does not end it, or does not read the answer, is dropped when the patience is at its
// end; who only keeps quiet may stay.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/control/run_control.h"

namespace boost::asio {
class io_context;
}

namespace weir {

struct ControlLimits {
  std::size_t connections = 64;
  std::size_t request = 1 << 20;  // bytes of a line
  Duration patience = std::chrono::seconds(30);
};

class ControlServer {
 public:
  // Loop and run outlive it, or its close().
  ControlServer(boost::asio::io_context& loop, std::string folder, RunControl& run,
                ControlLimits limits = {});
  ~ControlServer();  // close()

  // A run without it is as good as any other, so this is worth a warning and no more.
  const Status& listening() const;
  // Answers what is still open with an error, ends all connections and removes the socket. The run is not
  // called any more, and the loop has nothing left to wait for here.
  void close();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace weir
