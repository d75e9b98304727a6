#include "plans.h"

#include <unistd.h>

PLANS_WITH(sleep(100))
