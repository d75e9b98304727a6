#include "animal.h"

#include <stdlib.h>

RESOLVES(exit(0))
