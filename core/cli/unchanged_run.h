// A run in which there is nothing to do, as its snapshot says: it has a number, events and a summary like any
// other, and looks at nothing else.
#pragma once

#include "core/cli/build_snapshot.h"

namespace weir::cli {

int run_unchanged(const RunRequest& request, FoundSnapshot& found);

}  // namespace weir::cli
