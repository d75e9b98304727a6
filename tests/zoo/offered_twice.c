#include "animal.h"

TABLE(good_resolve, good_plan)
static const weir_offer offers[] = {{VIEW(WEIR_ELEMENT), &table}, {VIEW(WEIR_ELEMENT), &table}};
PLUGIN
ENTRY
