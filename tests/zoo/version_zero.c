#include "animal.h"

static const weir_element_v1 table = {
    {sizeof table, 0, 0, 0, VIEW("animal"), {NULL, 0}}, {NULL, 0}, good_resolve, good_plan};
OFFER
PLUGIN
ENTRY
