#include "core/exec/isolation.h"

#include <sched.h>

#include "core/exec/spawn.h"

namespace weir {

std::uint64_t namespaces_of(Isolation isolation) {
  switch (isolation) {
    case Isolation::pid_namespace: return CLONE_NEWPID;
    case Isolation::user_and_pid_namespace: return CLONE_NEWUSER | CLONE_NEWPID;
    case Isolation::subreaper: break;
  }
  return 0;
}

Isolation find_isolation() {
  if (can_unshare(CLONE_NEWPID)) return Isolation::pid_namespace;
  if (can_unshare(CLONE_NEWUSER | CLONE_NEWPID)) return Isolation::user_and_pid_namespace;
  return Isolation::subreaper;
}

std::uint64_t find_sandbox_namespaces(Isolation isolation) {
  if (isolation == Isolation::subreaper) return 0;
  const auto wanted = namespaces_of(isolation) | CLONE_NEWNS;
  return can_unshare(wanted, true) ? wanted : 0;
}

}  // namespace weir
