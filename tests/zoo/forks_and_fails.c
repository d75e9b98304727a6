/* Its children end on their own, one of them after an exec that failed; nothing is wrong with that. */
#include "plans.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void end_at_once(void) {
  execl("/nowhere/at/all", "all", (char*)NULL);
  _exit(127);
}
static void end_with_handlers(void) { exit(126); }

static int status_of(void (*end)(void)) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) end();
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

PLANS_WITH(if (status_of(end_at_once) != 127 || status_of(end_with_handlers) != 126) abort())
