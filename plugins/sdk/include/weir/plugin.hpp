// Plugins in C++20: comfort over weir/plugin.h, without dependencies. A whole plugin:
//
//   #include <weir/element.hpp>                  // or source.hpp, queue.hpp, remote.hpp, placement.hpp
//   using namespace weir::sdk;
//   struct Greet { ... };                        // what it has to have is described there
//   WEIR_PLUGIN("example-greet", "1.0", element<Greet>())
//
// The header of one type compiles nearly twice as fast as this one, which has all of them. weir/linkage.hpp
// says what to link. Exceptions stop in weir/barrier.hpp: `Refused` is the user's fault, any other is the
// plugin's.
#pragma once

// This header has always brought these, and plugins rely on it; those of the types include only what they
// need.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <variant>

#include <weir/element.hpp>
#include <weir/placement.hpp>
#include <weir/queue.hpp>
#include <weir/remote.hpp>
#include <weir/source.hpp>
