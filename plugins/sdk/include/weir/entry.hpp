// The entry of a plugin. Every header of a type includes this one.
#pragma once

#include <weir/barrier.hpp>

// The one symbol of the library, with all kinds that it offers.
#define WEIR_PLUGIN(plugin_name, plugin_version, ...)                                           \
  extern "C" WEIR_EXPORT const weir_plugin* weir_plugin_entry_v1(const weir_host* given_host) { \
    ::weir::sdk::host() = given_host;                                                           \
    static constexpr weir_offer offers[] = {__VA_ARGS__};                                       \
    static constexpr weir_plugin plugin = {sizeof(weir_plugin),                                 \
                                           WEIR_ABI_MAJOR,                                      \
                                           WEIR_ABI_MINOR,                                      \
                                           ::weir::sdk::view(plugin_name),                      \
                                           ::weir::sdk::view(plugin_version),                   \
                                           sizeof offers / sizeof *offers,                      \
                                           sizeof(weir_offer),                                  \
                                           offers};                                             \
    return &plugin;                                                                             \
  }
