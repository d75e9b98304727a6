#include "animal.h"

__attribute__((constructor)) static void hang(void) {
  for (volatile int i = 0;; ++i)
    ;
}

ANIMAL(good_resolve, good_plan)
