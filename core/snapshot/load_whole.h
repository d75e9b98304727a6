// The whole project from a snapshot, for commands that only want to know what it is: nothing is parsed if no
// file of it changed.
#pragma once

#include <optional>
#include <string>

#include "core/project/load.h"
#include "core/snapshot/snapshot.h"

namespace weir::snapshot {

// `root` of the project, absolute; `shown` is what stands before the names of its files. Nothing: a file of
// the project is another one, or too young to be believed, or the snapshot is damaged. What was loaded has no
// stamps, so no snapshot is taken of it.
std::optional<LoadedProject> load_whole(Snapshot& snapshot, const std::string& root,
                                        const std::string& shown);

}  // namespace weir::snapshot
