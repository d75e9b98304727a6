// Whether a kept stage still is the tree it was made from: the same names and types, the same targets of
// symlinks, the modes and times that every stage has, and files with the right content. The tree itself, read
// by its digest, is the list that the stage is compared with. Files whose inode is known (verified_inodes.h)
// are not read.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/store/object_files.h"
#include "core/store/parallel.h"

namespace weir::store {

// `stage` is relative to the store. An error: the tree itself cannot be read.
Result<bool> stage_is_whole(const StoreDir& dir, ObjectFiles& objects, const std::string& stage,
                            const Digest& tree, const ParallelFor& parallel_for);

}  // namespace weir::store
