#include "animal.h"

RESOLVES(return WEIR_REFUSED)
