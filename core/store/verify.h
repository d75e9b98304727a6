// Finding damage. verify() hashes every object, compares every stage with its tree and follows every record;
// recover() does the first for the objects that a crash of the machine may have torn; settle_damage() removes
// what a dropped object leaves behind.
//
// A damaged object is dropped. A record that misses an object is removed, and so are the records of what was
// built with its output, so that these artifacts are built again. Under the shared lock: objects that others
// add meanwhile are whole, and records name only objects that are there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/epoch.h"
#include "core/store/object_files.h"
#include "core/store/parallel.h"
#include "core/store/record_files.h"

namespace weir::store {

struct VerifyReport {
  std::size_t objects = 0;
  std::uint64_t bytes = 0;
  std::size_t records = 0;
  std::vector<std::string> damaged;  // digests of objects that were dropped
  std::vector<Key> broken;           // records that were removed: damaged, or missing an object
  std::vector<Key> dependents;       // records that were removed: built with the output of a broken one
  std::size_t loose_aliases = 0;     // removed; their record went before them, which is no damage
  std::vector<Sha256> lost_outputs;  // of the records that were removed
  std::vector<std::string> damaged_stages;  // by the digest of their tree; left behind and made again
  bool clean() const { return damaged.empty() && broken.empty() && damaged_stages.empty(); }
};

struct StoreParts {
  StoreDir& dir;
  ObjectFiles& objects;
  RecordFiles& records;
  Epoch& epoch;
  const ParallelFor& parallel_for;
};

Result<VerifyReport> verify(const StoreParts& parts);

// Whether all files of these trees are what their digests say. Damaged ones are dropped.
Result<bool> verify_trees(const StoreParts& parts, std::span<const Digest> trees);

// After a boot: an object whose ctime is not older than the last sync may have a name without its content.
// Such objects are hashed, the torn ones removed. Under the exclusive lock. Clocks that were set back by
// hours between a sync and a crash could hide one; `verify` finds it.
Status recover(const StoreParts& parts, std::int64_t now_ns);

// After an object was dropped or found missing: the records that need it and those of what was built with
// them are removed, so the next lookup is a miss. New epoch and generation if there are any, or if an object
// was dropped. Returns the outputs of the records that were removed.
Result<std::vector<Sha256>> settle_damage(const StoreParts& parts, bool was_dropped);

// The digests in a recipe: those of the outputs that an artifact was built with among them.
std::vector<Sha256> digests_in(std::string_view recipe);

}  // namespace weir::store
