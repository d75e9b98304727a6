#include "plans.h"

#include <unistd.h>

PLANS_WITH(if (write(1, "hello\n", 6) < 0) word[0] = 'x')
