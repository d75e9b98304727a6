#include "animal.h"

ANIMAL(good_resolve, NULL)
