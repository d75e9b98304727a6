#include "animal.h"

TABLE(good_resolve, good_plan)
OFFER
PLUGIN_OF(0, WEIR_ABI_MAJOR, 1, offers)
ENTRY
