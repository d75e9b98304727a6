#include "core/exec/terminal_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

namespace weir {

TerminalOwner::TerminalOwner() : terminal_(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  const bool ours = terminal_ && ::tcgetpgrp(terminal_.get()) == ::getpgrp();
  if (!ours || ::tcgetattr(terminal_.get(), &modes_) != 0) terminal_.reset();
}

TerminalOwner::~TerminalOwner() { take_back(); }

void TerminalOwner::restore_modes() {
  if (take_back()) ::tcsetattr(terminal_.get(), TCSADRAIN, &modes_);
}

// True if it is ours now. From the background this would stop us, unless SIGTTOU is blocked.
bool TerminalOwner::take_back() const {
  if (!terminal_) return false;
  const auto owner = ::tcgetpgrp(terminal_.get());
  if (owner == ::getpgrp()) return true;
  if (owner > 0 && (::kill(-owner, 0) == 0 || errno != ESRCH)) return false;
  sigset_t output, before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &output, &before);
  const bool taken = ::tcsetpgrp(terminal_.get(), ::getpgrp()) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return taken;
}

}  // namespace weir
