#include "core/cli/live_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "core/base/fd.h"
#include "core/cli/person.h"

namespace weir::cli {

namespace {

TerminalSize size_of_terminal() {
  winsize size{};
  TerminalSize known;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return known;
  if (size.ws_col > 0) known.columns = size.ws_col;
  if (size.ws_row > 0) known.rows = size.ws_row;
  return known;
}

// A terminal that is gone ends the drawing, not the run.
void write_to_terminal(std::string_view text) { (void)write_all(STDERR_FILENO, text); }

}  // namespace

// Shared, because a signal may still be in the loop when the terminal is gone.
struct LiveTerminal::Window : std::enable_shared_from_this<Window> {
  Window(boost::asio::io_context& loop, LiveDisplay& d) : display(&d), signals(loop, SIGWINCH) {}
  void listen() {
    signals.async_wait([self = shared_from_this()](const boost::system::error_code& error, int) {
      if (error || !self->display) return;
      self->display->resized();
      self->listen();
    });
  }
  LiveDisplay* display;
  boost::asio::signal_set signals;
};

LiveTerminal::LiveTerminal(boost::asio::io_context& loop, const Clock& clock, ReportOptions options)
    : display_({write_to_terminal, size_of_terminal}, std::move(options), clock),
      timer_(loop, clock, display_),
      window_(std::make_shared<Window>(loop, display_)) {
  window_->listen();
}

LiveTerminal::~LiveTerminal() {
  window_->display = nullptr;
  boost::system::error_code ignored;
  window_->signals.cancel(ignored);
  display_.stopped();
}

void LiveTerminal::on_event(const Event& event) {
  display_.on_event(event);
  timer_.look();
}

// In the background (Ctrl-Z, bg) nothing is shown until `fg`, or the end.
void LiveTerminal::resumed() {
  if (!in_foreground()) return;
  display_.resumed();
  timer_.look();
}

}  // namespace weir::cli
