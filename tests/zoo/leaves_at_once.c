/* Not even exit() is seen to be called. */
#include "plans.h"

#include <unistd.h>

PLANS_WITH(_exit(0))
