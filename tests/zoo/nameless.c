#include "animal.h"

TABLE(good_resolve, good_plan)
OFFER
static const weir_plugin plugin = {sizeof plugin,      WEIR_ABI_MAJOR, 0, {NULL, 0}, VIEW("1"), 1,
                                   sizeof(weir_offer), offers};
ENTRY
