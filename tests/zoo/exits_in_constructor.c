#include "animal.h"

#include <stdlib.h>

__attribute__((constructor)) static void leave(void) { exit(0); }

ANIMAL(good_resolve, good_plan)
