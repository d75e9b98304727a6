#include "animal.h"

TABLE_OF(0, good_resolve, good_plan)
OFFER
PLUGIN
ENTRY
