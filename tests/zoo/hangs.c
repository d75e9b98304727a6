#include "animal.h"

RESOLVES(volatile int always = 1; while (always) continue; return WEIR_OK)
