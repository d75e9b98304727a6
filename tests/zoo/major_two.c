/* Has the entry of this major and says another. */
#include "animal.h"

TABLE(good_resolve, good_plan)
OFFER
PLUGIN_OF(sizeof(weir_plugin), 2, 1, offers)
ENTRY
