#include "animal.h"

#include <stdlib.h>

RESOLVES(abort())
