/* A remote that cannot be closed. */
#include "remote.h"

static void close_it(weir_remote* remote) {
  (void)remote;
  *(volatile int*)NULL = 1;
}
REMOTE(good_open, close_it, good_submit, good_cancel)
