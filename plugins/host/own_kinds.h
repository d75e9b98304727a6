// The kinds that come with weir, also those that a partial build or a small installation leaves out: a kind
// that is missing is then reported with the way to get it, not as unknown. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plugins/host/plugin_library.h"

namespace weir {

std::span<const std::string_view> own_kinds(PluginType type);
bool is_own_kind(PluginType type, std::string_view name);
// How to get one that is not there.
std::string how_to_get(PluginType type, std::string_view name);

}  // namespace weir
