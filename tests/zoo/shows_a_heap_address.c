#include "plans.h"

#include <stdlib.h>

PLANS_WITH(void* own = malloc(100); snprintf(word, sizeof word, "%p", own); free(own))
