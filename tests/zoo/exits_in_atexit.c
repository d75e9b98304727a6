/* The same, in a handler of exit(). */
#include "animal.h"

#include <stdlib.h>
#include <unistd.h>

static void leave(void) { _exit(0); }
RESOLVES(atexit(leave); return answer(reply, "{}"))
