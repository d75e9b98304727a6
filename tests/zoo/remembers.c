#include "plans.h"

static int asked;

PLANS_WITH(snprintf(word, sizeof word, "%d", ++asked))
