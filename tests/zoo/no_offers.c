#include "animal.h"

TABLE(good_resolve, good_plan)
OFFER
PLUGIN_OF(sizeof(weir_plugin), WEIR_ABI_MAJOR, 0, offers)
ENTRY
