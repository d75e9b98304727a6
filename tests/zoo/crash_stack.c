/* Uses all of its stack: there is none left for who looks at it. */
#include "animal.h"

static int deeper(volatile int* above) {
  volatile int own[256] = {*above};
  return deeper(own) + own[0];
}

RESOLVES(int start = 0; return deeper(&start))
