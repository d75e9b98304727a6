/* A text of its table is where nothing is mapped. */
#include "animal.h"

static const weir_element_v1 table = {
    {sizeof table, 1, 0, 0, VIEW("animal"), {NULL, 0}}, {(const char*)0x10, 100}, good_resolve, good_plan};
OFFER
PLUGIN
ENTRY
