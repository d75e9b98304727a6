#include "animal.h"

RESOLVES(volatile int nothing = 0; return 7 / nothing)
