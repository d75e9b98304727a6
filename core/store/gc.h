// Makes room. Roots are the records and what live pins name. If what the roots hold is more than high *
// quota, the least recently used records go until the rest is at most low * quota; what a pinned run needs is
// never taken, even above the quota. Then everything that no root reaches is removed: objects, staged
// hardlink trees, temporary files of dead processes, stale pins, indexes of directories that are gone.
//
// The protocol beside other processes is in store_lock.h: the marking that takes long is done before the
// exclusive lock is asked for, and only what changed since is marked under it. Evicted records are durably
// gone before the first of their objects is, so a crash leaves no record without its objects.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/store/store_lock.h"
#include "core/store/verify.h"

namespace weir::store {

struct GcRequest {
  std::uint64_t quota = 0;  // bytes of objects; 0: no quota, only what nobody needs is removed
  double high = 1.0;
  double low = 0.8;
};

struct GcReport {
  std::size_t records_removed = 0;
  std::size_t objects_removed = 0;
  std::uint64_t bytes_removed = 0;
  std::uint64_t bytes_left = 0;
  std::size_t stages_removed = 0;
  std::size_t pins_live = 0;
};

Result<GcReport> collect_garbage(const StoreParts& parts, const StoreLock& lock, const GcRequest& request);

}  // namespace weir::store
