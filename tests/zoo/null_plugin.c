#include "animal.h"

const weir_plugin* weir_plugin_entry_v1(const weir_host* host) {
  (void)host;
  return NULL;
}
