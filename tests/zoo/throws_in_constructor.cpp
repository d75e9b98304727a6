// While it is loaded.
#include <stdexcept>

#include <weir/plugin.h>

namespace {

struct Thrower {
  Thrower() { throw std::runtime_error("zoo says no"); }
} thrower;

}  // namespace

extern "C" const weir_plugin* weir_plugin_entry_v1(const weir_host*) { return nullptr; }
