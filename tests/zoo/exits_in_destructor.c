/* Ends the process with another exit code when weir ends. */
#include "animal.h"

#include <unistd.h>

__attribute__((destructor)) static void leave(void) { _exit(0); }
ANIMAL(good_resolve, good_plan)
