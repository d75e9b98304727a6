// The signals of weir while a command has the terminal. Handlers and not SIG_IGN: what is ignored stays
// ignored in what is started. A signal that is ignored already (nohup) is left alone, for the same reason.
#pragma once

#include <signal.h>

#include <array>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

class TerminalSignals {
 public:
  static Result<TerminalSignals> make();
  TerminalSignals(TerminalSignals&&) noexcept = default;
  TerminalSignals& operator=(TerminalSignals&&) = delete;
  ~TerminalSignals();  // as they were

  // Readable once SIGTERM or SIGHUP came; the byte is its number.
  int requests() const { return reader_.get(); }

 private:
  TerminalSignals(UniqueFd reader, UniqueFd writer)
      : reader_(std::move(reader)), writer_(std::move(writer)) {}
  void install();

  static constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  UniqueFd reader_;
  UniqueFd writer_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace weir
