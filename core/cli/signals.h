// Signals of the user, as orders to the scheduler:
//   INT   with a person at the terminal: all jobs are suspended and the person is asked; a second one stops
//         all jobs. Without one it stops all jobs with their grace; the next kills them at once
//   TERM  stops all jobs, with exit code 143; so does HUP, unless it is ignored (nohup): the run has its end
//         and its reports
//   TSTP  suspends all jobs, then weir itself; CONT resumes all
#pragma once

#include <functional>
#include <memory>

#include "core/model/event.h"

namespace boost::asio {
class io_context;
}

namespace weir {
class Scheduler;
}

namespace weir::cli {

class Signals final : public Observer {
 public:
  struct Terminal {
    bool person = false;
    // A command of the person's has the terminal: its signals are not weir's.
    std::function<bool()> aside = [] { return false; };
    // Around the time in which weir is stopped.
    std::function<void()> before_stop = [] {}, after_stop = [] {};
  };
  Signals(boost::asio::io_context& loop, Scheduler& scheduler, Terminal terminal);
  ~Signals() override;

  // An answer makes the next INT a first one again.
  void on_event(const Event& event) override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace weir::cli
