// One plan after the other, as they come through the socket, until there is a reason not to
// (core/exec/init_protocol.h).
#pragma once

namespace weir::init {

[[noreturn]] void serve();

}  // namespace weir::init
