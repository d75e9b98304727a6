/* Ends the process without any handler being called. */
#include "animal.h"

#include <unistd.h>

RESOLVES(_exit(0); return WEIR_OK)
