/* Ends the process on a thread of its own. */
#include "animal.h"

#include <pthread.h>
#include <unistd.h>

static void* leave(void* none) {
  (void)none;
  _exit(0);
}
static pthread_t thread;
RESOLVES(pthread_create(&thread, NULL, leave, NULL); pthread_join(thread, NULL); return WEIR_OK)
