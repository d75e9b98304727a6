// Waits for a child that should be quick (a hook, a tool that is asked for its version): at the limit it is
// killed with all of its process group. Blocks; not for the loop's thread.
#pragma once

#include "core/base/clock.h"
#include "core/exec/spawn.h"

namespace weir {

struct ChildEnd {
  bool in_time = true;
  bool exited = false;  // else a signal ended it
  int status = 0;       // exit code or signal
  bool good() const { return in_time && exited && status == 0; }
};

ChildEnd await_child(const Spawned& child, Duration limit);

}  // namespace weir
