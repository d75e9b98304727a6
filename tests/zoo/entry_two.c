/* Has only the entry of a later major. */
#include "animal.h"

WEIR_EXPORT const void* weir_plugin_entry_v2(const void* host);
const void* weir_plugin_entry_v2(const void* host) { return host; }
