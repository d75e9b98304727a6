/* A remote that crashes on a thread of its own when it is asked for something. */
#include "remote.h"

#include <pthread.h>

static pthread_t thread;
static void* crash(void* none) {
  *(volatile int*)none = 1;
  return NULL;
}
static void submit(weir_remote* remote, const weir_remote_request* request) {
  (void)remote, (void)request;
  pthread_create(&thread, NULL, crash, NULL);
}
REMOTE(good_open, good_close, submit, good_cancel)
