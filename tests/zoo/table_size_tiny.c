#include "animal.h"

TABLE_OF(8, good_resolve, good_plan)
OFFER
PLUGIN
ENTRY
