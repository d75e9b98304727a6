// The programs that belong to weir and are started by it: weir-init, weir-transfer.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// Beside the running program, or in a folder bin beside its folder; empty if it is not there.
std::string find_companion(std::string_view name);

}  // namespace weir
