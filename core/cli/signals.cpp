#include "core/cli/signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "core/base/interruption.h"
#include "core/cli/exit_codes.h"
#include "core/scheduler/scheduler.h"

namespace weir::cli {

struct Signals::Impl : std::enable_shared_from_this<Impl> {
  Impl(boost::asio::io_context& io, Scheduler& s, Terminal t)
      : loop(io), scheduler(s), terminal(std::move(t)), signals(io, SIGINT, SIGTERM, SIGTSTP) {
    signals.add(SIGCONT);
    // Who started weir with nohup wants it to go on.
    struct sigaction hangup {};
    if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) signals.add(SIGHUP);
  }

  void listen() {
    signals.async_wait([self = shared_from_this()](const boost::system::error_code& error, int signal) {
      if (error) return;
      self->on_signal(signal);
      self->listen();
    });
  }
  void on_signal(int signal) {
    const bool of_terminal = signal == SIGINT || signal == SIGTSTP;
    if (of_terminal && terminal.aside()) return;
    switch (signal) {
      case SIGINT: interrupt(); break;
      case SIGTERM:
      case SIGHUP: end(kTerminated); break;
      case SIGTSTP: suspend(); break;
      case SIGCONT:
        // Jobs that a person is asked about stay suspended.
        if (!scheduler.asking()) scheduler.door().post(input::ResumeAll{});
        terminal.after_stop();
        break;
      default: break;
    }
  }
  void interrupt() {
    const bool first = terminal.person && !asked_to_end && !asked_person && !scheduler.asking();
    if (!first) return end(kInterrupted);
    asked_person = true;
    scheduler.door().post(input::Interrupt{});
  }
  void end(int exit) {
    weir::interrupt();  // jobs of the store end between two files, whatever is left of them
    scheduler.door().post(input::CancelRun{exit, asked_to_end});
    asked_to_end = true;
  }
  // The order is applied by a step that the door has posted to the loop before this; what it told is written
  // in the turn after it (core/report/json_lines.h); only then weir stops itself.
  void suspend() {
    scheduler.door().post(input::SuspendAll{});
    boost::asio::post(loop, [self = shared_from_this()] {
      boost::asio::post(self->loop, [self] {
        self->terminal.before_stop();
        std::raise(SIGSTOP);
      });
    });
  }

  boost::asio::io_context& loop;
  Scheduler& scheduler;
  Terminal terminal;
  boost::asio::signal_set signals;
  bool asked_to_end = false;
  bool asked_person = false;  // after an interrupt, and there is no answer yet
};

Signals::Signals(boost::asio::io_context& loop, Scheduler& scheduler, Terminal terminal)
    : impl_(std::make_shared<Impl>(loop, scheduler, std::move(terminal))) {
  impl_->listen();
}

Signals::~Signals() {
  boost::system::error_code ignored;
  impl_->signals.cancel(ignored);
}

void Signals::on_event(const Event& event) {
  if (const auto* control = event.as<event::Control>(); control && control->what == "answer")
    impl_->asked_person = false;
}

}  // namespace weir::cli
