// Who has the terminal. A shell makes its own process group the foreground one; bash gives it back at its
// end, but cannot name a group outside of its pid namespace. Without this, whoever called weir would be
// stopped at its next read. A foreground group that lives keeps it: weir may have been sent to the background
// (Ctrl-Z, bg) by then.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include "core/base/fd.h"

namespace weir {

class TerminalOwner {
 public:
  TerminalOwner();
  ~TerminalOwner();  // the foreground as it was
  TerminalOwner(const TerminalOwner&) = delete;
  TerminalOwner& operator=(const TerminalOwner&) = delete;

  // Echo, line editing, ...: for a program that was killed before it could set them back.
  void restore_modes();

 private:
  bool take_back() const;

  UniqueFd terminal_;  // empty: there is none, or others have it
  termios modes_{};
};

}  // namespace weir
