// An exception leaves it: it does not use the SDK, which would have caught it.
#include <stdexcept>

#include <weir/plugin.hpp>

namespace {

weir_status resolve(weir_view, const weir_reply*) { throw std::runtime_error("zoo says no"); }

}  // namespace

extern "C" const weir_plugin* weir_plugin_entry_v1(const weir_host*) {
  using weir::sdk::view;
  static const weir_element_v1 table = {{sizeof table, 1, 0, 0, view("animal"), {}}, {}, resolve, resolve};
  static const weir_offer offers[] = {{view(WEIR_ELEMENT), &table}};
  static const weir_plugin plugin = {sizeof plugin,      WEIR_ABI_MAJOR, 0, view("zoo"), view("1"), 1,
                                     sizeof(weir_offer), offers};
  return &plugin;
}
