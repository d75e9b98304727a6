#include "animal.h"

__attribute__((constructor)) static void crash(void) { *(volatile int*)NULL = 1; }

ANIMAL(good_resolve, good_plan)
