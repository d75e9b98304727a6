#include "animal.h"

static const weir_offer offers[] = {{VIEW(WEIR_ELEMENT), NULL}};
PLUGIN
ENTRY
