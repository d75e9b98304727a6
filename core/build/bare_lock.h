// Without a sandbox an element has one folder whatever its key is, and only one weir may use it: by this lock
// of the store.
#pragma once

#include "core/build/environment.h"
#include "core/store/digest.h"

namespace weir {

inline store::Key bare_lock(const JobLayout& layout) { return store::Key::of("folder " + layout.install); }

}  // namespace weir
