/* Needs a function that no library here has. */
#include "animal.h"

extern int zoo_function_that_is_nowhere(void);

RESOLVES(return zoo_function_that_is_nowhere())
