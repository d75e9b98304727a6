#include "animal.h"

TABLE_OF(0xffffffffu, good_resolve, good_plan)
OFFER
PLUGIN
ENTRY
