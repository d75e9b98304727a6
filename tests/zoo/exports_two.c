#include "animal.h"

WEIR_EXPORT int zoo_second(void);
int zoo_second(void) { return 2; }

ANIMAL(good_resolve, good_plan)
