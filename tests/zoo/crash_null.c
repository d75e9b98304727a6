#include "animal.h"

RESOLVES(*(volatile int*)NULL = 1; return WEIR_OK)
