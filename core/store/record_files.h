// The records on disk, records/<key>. Reading follows one alias. The mtime of a record is its last use; it is
// brought up to date in batches and only when it is older than a granularity, so that a null build of a large
// project, run again and again, writes nothing. A lost batch makes gc's order a little worse, nothing else.
// Under the store's shared lock. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/store/epoch.h"
#include "core/store/record.h"
#include "core/store/store_dir.h"

namespace weir::store {

struct Artifact {
  Key key;  // of the record itself, behind an alias
  ArtifactRecord record;
};

struct ListedRecord {
  Key key;
  std::optional<RecordOrAlias> value;  // nothing: damaged
  std::int64_t last_use_ns = 0;
};

class RecordFiles {
 public:
  RecordFiles(StoreDir& dir, Epoch& epoch, Duration granularity)
      : dir_(dir), epoch_(epoch), granularity_(granularity) {}

  // Nothing: not there, or damaged (it is removed then).
  Result<std::optional<Artifact>> find(const Key& key, std::int64_t now_ns);
  bool has(const Key& key) const;
  // A recipe that is part of a record: its digest is that record's key. Nothing: it is not there.
  std::optional<std::string> recipe(const Digest& digest) const;
  // The recipe that is part of this record.
  std::optional<std::string> recipe_of(const Key& key) const;
  Result<bool> remove(const Key& key);
  Result<std::vector<ListedRecord>> list() const;
  // Of records that somebody uses without looking at them.
  void note_uses(std::span<const Key> keys, std::int64_t now_ns);
  void write_uses();

  static std::string name_of(const Key& key) { return "records/" + key.hex(); }

 private:
  Result<std::optional<RecordOrAlias>> read(const Key& key, std::int64_t now_ns);
  Result<std::optional<RecordOrAlias>> drop(const Key& key);
  void note_use(const Key& key, std::int64_t last_ns, std::int64_t now_ns);

  StoreDir& dir_;
  Epoch& epoch_;
  Duration granularity_;
  std::mutex mutex_;
  std::vector<std::pair<Key, std::int64_t>> uses_;
};

}  // namespace weir::store
