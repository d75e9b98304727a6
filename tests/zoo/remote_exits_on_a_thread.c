/* A remote that ends the process on a thread of its own. */
#include "remote.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_t thread;
static void* leave(void* none) {
  (void)none;
  exit(0);
}
static void submit(weir_remote* remote, const weir_remote_request* request) {
  (void)remote, (void)request;
  pthread_create(&thread, NULL, leave, NULL);
}
REMOTE(good_open, good_close, submit, good_cancel)
