// A program of seccomp, for bubblewrap's --seccomp, that refuses TIOCSTI and TIOCLINUX with EPERM.
//
// A shell in the sandbox is on the user's terminal. By TIOCSTI anything in there could type into it, and what
// it typed would be read by the user's own shell, outside. The usual answer, a session of its own (bwrap
// --new-session), takes job control and Ctrl-C from the shell; newer kernels can refuse it for all
// (dev.tty.legacy_tiocsti), most do not.
#pragma once

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

// A memory file. Empty where the numbers of this machine's system calls are not known here: then nothing is
// refused.
Result<UniqueFd> make_terminal_filter();

}  // namespace weir
