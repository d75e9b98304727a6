#include "animal.h"

PLUGIN_OF(sizeof(weir_plugin), WEIR_ABI_MAJOR, 1, NULL)
ENTRY
