#include "core/exec/terminal_signals.h"

#include <errno.h>
#include <fcntl.h>

#include <atomic>

namespace weir {

namespace {

std::atomic<int> requests_writer{-1};  // one command at a time

void pass_over(int) {}

void take_note(int signal) {
  const int error = errno;
  const auto byte = static_cast<char>(signal);
  // Fails only when it is full, of thousands of them.
  [[maybe_unused]] const auto written = ::write(requests_writer.load(), &byte, 1);
  errno = error;
}

}  // namespace

Result<TerminalSignals> TerminalSignals::make() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return fail_errno("making a pipe for signals");
  TerminalSignals signals{UniqueFd(ends[0]), UniqueFd(ends[1])};
  signals.install();
  return signals;
}

void TerminalSignals::install() {
  requests_writer = writer_.get();
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGINT || kSignals[i] == SIGQUIT ? pass_over : take_note;
    action.sa_flags = SA_RESTART;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

TerminalSignals::~TerminalSignals() {
  if (!writer_) return;  // moved from
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  requests_writer = -1;
}

}  // namespace weir
