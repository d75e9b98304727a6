// What track and fetch jobs have in their environment: how this user reaches the network, and nothing else.
// git and ssh find their keys and settings by it. None of it is part of a key.
#pragma once

#include "core/build/environment.h"

namespace weir {

Environment network_environment();

}  // namespace weir
