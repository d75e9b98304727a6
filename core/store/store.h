// The content-addressed store: everything weir has built or fetched, by digest, and the artifact records by
// key. This is the one API of core/store; the parts behind it have a page each (store_dir.h has the layout on
// disk).
//
// Invariants:
//   - An object's name is the SHA-256 of its content; a record names only objects that are there. A crash of
//   weir or of
//     the machine at any point leaves the old state or the new one.
//   - Nothing a job can write to shares an inode with the store, and nothing of a user's tree does.
//   - A damaged object is dropped when it is met and is a miss from then on, never used (docs/cache.md says
//   which damage is detected when). A miss is an empty
//   optional or
//     an Error with Reason::not_found; the artifact is then built again.
//   - Two processes may use one store at the same time (store_lock.h, key_lock.h, pin.h). gc never takes what
//   a live pin
//     holds: take a pin before the first lookup or import of a run. Without one, what a call returned may be
//     gone at the next call, which then reports a miss.
//
// All calls may come from any thread at the same time. All but lock() and commit() do file I/O and may wait
// for a gc that is sweeping: not for the loop's thread, unless it is little and is_free(). A full disk is an
// Error with Reason::resources and changes nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/store/checksums.h"
#include "core/store/committer.h"
#include "core/store/directory_codec.h"
#include "core/store/gc.h"
#include "core/store/importer.h"
#include "core/store/incoming.h"
#include "core/store/key_lock.h"
#include "core/store/merge.h"
#include "core/store/pin.h"
#include "core/store/record_files.h"
#include "core/store/stager.h"
#include "core/store/verify.h"

namespace weir::store {

struct Options {
  ParallelFor parallel_for;                          // default: threads of its own (parallel.h)
  std::shared_ptr<Filesystem> filesystem;            // default: the real one
  std::function<std::int64_t()> wall_clock_ns;       // default: CLOCK_REALTIME; compared with times of files
  std::string boot_id;                               // default: of this machine
  Duration use_granularity = std::chrono::hours(1);  // how exactly the last use of a record is known
};

struct StoreStat {
  std::size_t objects = 0;  // inodes
  std::uint64_t bytes = 0;
  std::size_t records = 0;
  std::size_t aliases = 0;
  std::size_t stages = 0;
  std::size_t pins = 0;
};

class Store {
 public:
  // Creates what is missing. A newer format is refused.
  static Result<std::unique_ptr<Store>> open(const std::string& directory, Options options = {});
  ~Store();  // commits what was submitted
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Records. A commit needs the output tree and the log to be in the store already, and the recipe, or its
  // text: then it is kept with the record and has no file of its own, and its digest must be `key`.
  Result<std::optional<Artifact>> lookup(const Key& key);
  struct CommitMore {
    std::string recipe = {};
    std::optional<Key> alias = {};  // another name of the record
  };
  Result<Ticket> commit(const Key& key, const ArtifactRecord& record, CommitMore more);
  Result<Ticket> commit(const Key& key, const ArtifactRecord& record) { return commit(key, record, {}); }
  Result<Ticket> alias(const Key& from, const Key& to);  // one step only; without a record of `to` a miss
  // Somebody who expected a record has not found it: what is known of earlier lookups is not to be relied on.
  void note_miss();
  Result<bool> rm(const Key& key);  // false: there was none; objects go with the next gc

  // Content in. A path that is a file gives a tree with that one file.
  Result<Imported> import(const std::string& path, const Exclude& exclude = {}, SeenPaths* seen = nullptr);
  Result<Imported> collect(const std::string& install_root);
  Result<Digest> put_blob(std::string_view bytes);
  Result<Digest> put_file(const std::string& path);
  Result<Digest> put_directory(Directory directory);  // its children must be there

  // From elsewhere: a file to be filled, then taken in if it is what it should be. False: it is not, and
  // nothing is kept.
  Result<Incoming> receive(const Digest& expected, bool executable) {
    return Incoming::create(*dir_, expected, executable);
  }
  Result<bool> accept(Incoming& incoming);

  // Content out.
  // Whether anything that this store was asked for turned out damaged, or missing although a record names it.
  bool has_met_damage() const { return has_met_damage_; }
  bool has(const Digest& digest);  // as an object, or a recipe with its record
  // An object that is missing is damage: records name only objects that are there. Who asks for what a gc may
  // have taken says so.
  enum class Missing : std::uint8_t { is_damage, is_expected };
  Result<std::string> read_blob(const Digest& digest,
                                Missing missing = Missing::is_damage);  // verified by its digest
  Result<UniqueFd> open_blob(const Digest& digest);                     // the same, in one pass over the file
  // The same for many: on all cores, since each is hashed.
  Result<std::vector<UniqueFd>> open_blobs(std::span<const Digest> digests);
  // A large object that was not read, with what its reader has to compare it with: mismatches go to
  // open_blob, which decides. Nothing: its checksum is not known.
  struct UnverifiedBlob {
    UniqueFd file;
    Checksum checksum;
  };
  Result<std::optional<UnverifiedBlob>> open_unverified(const Digest& digest);
  Result<Tree> read_tree(const Digest& tree);  // all directories in one message, for remotes
  Result<Digest> merge(std::span<const Layer> layers, const MayOverlap& may_overlap = {});
  Result<Stage> stage(std::span<const Layer> layers, StageMode mode, const MayOverlap& may_overlap = {});
  // After a job: an error (not_found) if the files of its read-only stage have changed. Damaged objects among
  // them are dropped.
  Status check_stage(const Stage& stage);
  Status checkout(const Digest& tree, const std::string& directory);

  // One builder per key. lock() calls back from a thread of the store once the lock is there.
  Result<std::optional<KeyLock>> try_lock(const Key& key) { return key_locks_->try_lock(key); }
  LockWaiter::Wait lock(const Key& key, LockWaiter::Callback callback) {
    return waiter_->wait(key, std::move(callback));
  }
  Result<Pin> pin(std::string_view run);
  // No gc is sweeping, at this moment.
  bool is_free() { return lock_->is_free(); }

  // Upkeep.
  Result<GcReport> gc(const GcRequest& request);
  Result<VerifyReport> verify();
  // Whether all files of these trees are what their digests say. Damaged ones are dropped.
  Result<bool> verify_trees(std::span<const Digest> trees);
  Result<StoreStat> stat();
  // These records are used, although nobody looks them up: gc is not to take them for forgotten.
  void note_uses(std::span<const Key> keys);
  // Waits until every commit so far is durable or failed, and writes down the last uses.
  void flush();

 private:
  explicit Store(Options options);
  Status start(const std::string& directory);
  Status sync();
  StoreParts parts() { return {*dir_, *objects_, *records_, *epoch_, options_.parallel_for}; }
  template <class Call>
  auto shared(Call&& call, Missing missing = Missing::is_damage) -> decltype(call());
  Status check_dependencies(const ArtifactRecord& record, const std::string& recipe);
  Result<Imported> pinned(Result<Imported> imported);
  Result<UniqueFd> open_object_or_recipe(const Digest& digest);

  Options options_;
  std::unique_ptr<StoreDir> dir_;
  std::unique_ptr<StoreLock> lock_;
  std::unique_ptr<Epoch> epoch_;
  std::unique_ptr<VerifiedInodes> verified_;
  std::unique_ptr<Checksums> checksums_;
  std::atomic<bool> has_met_damage_ = false;
  std::mutex lost_mutex_;
  std::unordered_set<Sha256, HashOf> lost_outputs_;  // of records that were removed because of damage
  std::unique_ptr<ObjectFiles> objects_;
  std::unique_ptr<RecordFiles> records_;
  std::unique_ptr<Pins> pins_;
  std::unique_ptr<Importer> importer_;
  std::unique_ptr<Stager> stager_;
  std::unique_ptr<KeyLockFiles> key_locks_;
  std::unique_ptr<LockWaiter> waiter_;
  std::unique_ptr<Committer> committer_;
};

}  // namespace weir::store
