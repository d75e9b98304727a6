// Plugins in C++20: comfort over weir/plugin.h, header only, without dependencies. A whole plugin:
//
//   #include <weir/plugin.hpp>
//   using namespace weir::sdk;
//   struct Greet { ... };                        // see weir/element.hpp, source.hpp, queue.hpp, remote.hpp,
//                                                placement.hpp
//   WEIR_PLUGIN("example-greet", "1.0", element<Greet>())
//
// Exceptions stop in weir/barrier.hpp: `Refused` is the user's fault, any other is the plugin's.
#pragma once

#include <weir/element.hpp>
#include <weir/placement.hpp>
#include <weir/queue.hpp>
#include <weir/remote.hpp>
#include <weir/source.hpp>

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
