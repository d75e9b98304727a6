/* Nothing is wrong with it. */
#include "animal.h"

ANIMAL(good_resolve, good_plan)
