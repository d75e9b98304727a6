#include <stdexcept>

#include <weir/plugin.h>

extern "C" const weir_plugin* weir_plugin_entry_v1(const weir_host*) {
  throw std::runtime_error("zoo says no");
}
