#include "animal.h"

ANIMAL(NULL, good_plan)
