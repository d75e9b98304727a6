/* A remote that looks for an operation that it never had. */
#include "remote.h"

static void cancel(weir_remote* remote, uint64_t operation) {
  (void)remote, (void)operation;
  *(volatile int*)NULL = 1;
}
REMOTE(good_open, good_close, good_submit, cancel)
