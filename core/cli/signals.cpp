#include "core/cli/signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "core/cli/exit_codes.h"
#include "core/scheduler/scheduler.h"

namespace weir::cli {

struct Signals::Impl : std::enable_shared_from_this<Impl> {
  Impl(boost::asio::io_context& io, Scheduler& s)
      : loop(io), scheduler(s), signals(io, SIGINT, SIGTERM, SIGTSTP) {
    signals.add(SIGCONT);
  }

  void listen() {
    signals.async_wait([self = shared_from_this()](const boost::system::error_code& error, int signal) {
      if (error) return;
      self->on_signal(signal);
      self->listen();
    });
  }
  void on_signal(int signal) {
    switch (signal) {
      case SIGINT:
      case SIGTERM:
        scheduler.door().post(input::CancelRun{signal == SIGINT ? kInterrupted : kTerminated, asked_to_end});
        asked_to_end = true;
        break;
      case SIGTSTP: suspend(); break;
      case SIGCONT: scheduler.door().post(input::ResumeAll{}); break;
      default: break;
    }
  }
  // The order is applied by a step that the door has posted to the loop before this; only then weir stops itself.
  void suspend() {
    scheduler.door().post(input::SuspendAll{});
    boost::asio::post(loop, [] { std::raise(SIGSTOP); });
  }

  boost::asio::io_context& loop;
  Scheduler& scheduler;
  boost::asio::signal_set signals;
  bool asked_to_end = false;
};

Signals::Signals(boost::asio::io_context& loop, Scheduler& scheduler) : impl_(std::make_shared<Impl>(loop, scheduler)) {
  impl_->listen();
}

Signals::~Signals() {
  boost::system::error_code ignored;
  impl_->signals.cancel(ignored);
}

}  // namespace weir::cli
