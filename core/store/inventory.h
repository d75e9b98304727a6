// What objects are on disk: for gc, verify, recovery and stat. Under the store's shared or exclusive lock.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/store/digest.h"
#include "core/store/store_dir.h"

namespace weir::store {

struct ObjectInode {
  Sha256 hash;
  bool executable = false;
  std::uint64_t bytes = 0;
  std::int64_t ctime_ns = 0;
};
// One entry per inode; in no order.
Result<std::vector<ObjectInode>> list_objects(const StoreDir& dir);

}  // namespace weir::store
