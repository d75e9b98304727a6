// Signals of the user, as orders to the scheduler:
//   INT   stops all jobs with their grace; a second one kills them at once
//   TERM  the same, with exit code 143
//   TSTP  suspends all jobs, then weir itself; CONT resumes all
#pragma once

#include <memory>

namespace boost::asio {
class io_context;
}

namespace weir {
class Scheduler;
}

namespace weir::cli {

class Signals {
 public:
  Signals(boost::asio::io_context& loop, Scheduler& scheduler);
  ~Signals();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace weir::cli
