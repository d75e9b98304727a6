// Takes a process all system calls but those of memory: a question of a plugin needs no others. For a child
// that is thrown away; there is no way back.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir {

// From now on every other call of this thread does nothing, fails with EPERM, and is reported: a line
// {"called":257} is written to `report`, which may be written to. An Error says why this machine cannot do
// it.
Status seal_process(int report);

// "openat", or "system call 257".
std::string system_call_name(long number);

}  // namespace weir
