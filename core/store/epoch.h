// Three small files that say what may still be believed.
//   epoch       changes whenever objects or records were removed (gc, rm, damage). A stat index of another
//               epoch, or of another boot, knows digests whose objects may be gone and must look; one of this
//               epoch need not.
//   generation  changes when an object was found damaged: cached stage trees hold the same inode, so all of
//               them are left behind in favour of a new directory below stage/.
//   boot        the boot in which the store was last recovered, and the time before which all objects are
//               durable.
// All are random names or plain text, replaced whole; a lost update only makes weir look twice. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/store/store_dir.h"

namespace weir::store {

class Epoch {
 public:
  Epoch(StoreDir& dir, std::string boot_id) : dir_(dir), boot_id_(std::move(boot_id)) {}

  // What a stat index is stamped with: epoch and boot.
  std::string stamp() const;
  // What else was known of what is there has another stamp from now on, also if the disk is full.
  Status something_was_removed();
  Status object_was_damaged();

  // "stage/<boot>-<generation>". A tree of another boot may have lost names in a crash, so it is never used.
  std::string stage_directory() const;

  struct Boot {
    std::string id;
    std::int64_t synced_ns = 0;  // wall time; objects whose ctime is older are durable
  };
  Boot boot() const;
  Status set_synced(std::int64_t before_ns);
  const std::string& boot_id() const { return boot_id_; }

 private:
  StoreDir& dir_;
  std::string boot_id_;
};

// What must be the same for all that was in the store at `path` to be there still: boot, epoch, and the store
// itself, which somebody may have taken away and made anew. Needs no open store.
std::string whole_stamp(const std::string& path);

std::string this_boot();  // /proc/sys/kernel/random/boot_id

}  // namespace weir::store
