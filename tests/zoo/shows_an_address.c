#include "plans.h"

static int own;

PLANS_WITH(snprintf(word, sizeof word, "%p", (void*)&own))
