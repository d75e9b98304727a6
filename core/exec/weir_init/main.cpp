// weir-init: the direct child of every job and PID 1 of its pid namespace. Runs the steps of its plan one
// after the other up to the first that fails, reaps everything, and appends what it saw to the record
// (core/exec/init_protocol.h is the whole contract). One thread; it waits in sigtimedwait and, between two
// plans that it serves, in recvmsg.
//
// As PID 1 it is killed with weir (PDEATHSIG) and the kernel then kills the namespace. Where no pid namespace
// can be had it is a subreaper instead and kills its descendants itself when weir goes.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/exec/init_protocol.h"
#include "core/exec/weir_init/confine.h"
#include "core/exec/weir_init/run_plan.h"
#include "core/exec/weir_init/serve.h"

namespace {

bool is_served() {
  struct stat file;
  return fstat(weir::init::kPlanFd, &file) == 0 && S_ISSOCK(file.st_mode);
}

}  // namespace

int main() {
  using namespace weir::init;
  syscall(SYS_umask, 022L);  // that of whoever started weir would decide on what is built
  chdir("/");                // where it was started is a folder that others have, and /proc/1/cwd leads there
  const bool served = is_served();
  if (!served) map_plan();
  hang_on_weir();
  if (!served) end_if_orphaned();
  sigset_t mask;
  sigfillset(&mask);
  sigprocmask(SIG_BLOCK, &mask, nullptr);
  if (served) serve();
  fcntl(kPlanFd, F_SETFD, FD_CLOEXEC);
  if (has_flag(kOnTerminal)) {
    fcntl(kLifeFd, F_SETFD, FD_CLOEXEC);
    open_own_null_devices();
  } else {
    open_own_input();
  }
  const Plan plan = read_plan();
  if (has_flag(kConfined)) confine(has_flag(kUserNamespaces));
  look();
  run(plan);
  _exit(0);
}
