#include "plans.h"

#include <stdlib.h>

PLANS_WITH(snprintf(word, sizeof word, "%.100s", getenv("PATH") ? getenv("PATH") : ""))
