/* Crashes on a thread of its own. */
#include "animal.h"

#include <pthread.h>

static void* crash(void* none) {
  *(volatile int*)none = 1;
  return NULL;
}
static pthread_t thread;
RESOLVES(pthread_create(&thread, NULL, crash, NULL); pthread_join(thread, NULL); return WEIR_OK)
