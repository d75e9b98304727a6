#include "animal.h"

#include <stdlib.h>

extern void quick_exit(int status);

RESOLVES(quick_exit(0); return WEIR_OK)
