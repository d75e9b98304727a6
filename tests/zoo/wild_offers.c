/* Its offers are where nothing is mapped. */
#include "animal.h"

PLUGIN_OF(sizeof(weir_plugin), WEIR_ABI_MAJOR, 1, (const weir_offer*)0x10)
ENTRY
