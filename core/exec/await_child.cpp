#include "core/exec/await_child.h"

#include <errno.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>

namespace weir {

ChildEnd await_child(const Spawned& child, Duration limit) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::max(limit, Duration::zero())).count();
  pollfd waiting{child.pidfd.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, static_cast<int>(milliseconds));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) ::kill(-child.pid, SIGKILL);  // it leads a process group of its own
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED) < 0 && errno == EINTR) {
  }
  return {ready > 0, info.si_code == CLD_EXITED, info.si_status};
}

}  // namespace weir
