#include "core/store/store.h"

#include <sys/mman.h>
#include <unistd.h>

#include <ctime>
#include <unordered_set>

#include "core/store/file_tools.h"
#include "core/store/inventory.h"
#include "core/store/tree_reader.h"

namespace weir::store {

namespace {

std::int64_t real_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

Result<UniqueFd> memory_file(std::string_view bytes) {
  UniqueFd fd(::memfd_create("weir-recipe", MFD_CLOEXEC));
  if (!fd) return fail_errno("making a file of a recipe");
  if (const int error = write_all(fd.get(), bytes)) return fail_errno("making a file of a recipe", error);
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return fail_errno("making a file of a recipe");
  return fd;
}

}  // namespace

Store::Store(Options options) : options_(std::move(options)) {
  if (!options_.parallel_for) options_.parallel_for = parallel_for_of_threads();
  if (!options_.filesystem) options_.filesystem = std::make_shared<Filesystem>();
  if (!options_.wall_clock_ns) options_.wall_clock_ns = real_time_ns;
  if (options_.boot_id.empty()) options_.boot_id = this_boot();
}

Result<std::unique_ptr<Store>> Store::open(const std::string& directory, Options options) {
  std::unique_ptr<Store> store(new Store(std::move(options)));
  if (auto started = store->start(directory); !started) return tl::unexpected(started.error());
  return store;
}

Status Store::start(const std::string& directory) {
  auto dir = StoreDir::open(directory, *options_.filesystem);
  if (!dir) return tl::unexpected(dir.error());
  dir_ = std::move(*dir);
  lock_ = std::make_unique<StoreLock>(dir_->root());
  if (auto opened = lock_->open(); !opened) return opened;
  {
    const auto hold = lock_->shared();
    if (auto begun = dir_->start_session(); !begun) return begun;
  }
  epoch_ = std::make_unique<Epoch>(*dir_, options_.boot_id);
  verified_ = std::make_unique<VerifiedInodes>(*dir_, options_.boot_id);
  checksums_ = std::make_unique<Checksums>(*dir_);
  objects_ = std::make_unique<ObjectFiles>(*dir_, *verified_, *checksums_);
  records_ = std::make_unique<RecordFiles>(*dir_, *epoch_, options_.use_granularity);
  pins_ = std::make_unique<Pins>(*dir_);
  importer_ =
      std::make_unique<Importer>(*dir_, *objects_, *epoch_, options_.parallel_for, options_.wall_clock_ns);
  stager_ = std::make_unique<Stager>(*dir_, *objects_, *epoch_, options_.parallel_for);
  key_locks_ = std::make_unique<KeyLockFiles>(dir_->root());
  waiter_ = std::make_unique<LockWaiter>(dir_->root(), *key_locks_);
  if (epoch_->boot().id != options_.boot_id) {
    auto alone = lock_->exclusive();
    if (!alone) return tl::unexpected(alone.error());
    if (auto recovered = recover(parts(), options_.wall_clock_ns()); !recovered) return recovered;
  }
  committer_ = std::make_unique<Committer>(*dir_, [this] { return sync(); });
  return {};
}

Store::~Store() {
  committer_.reset();
  if (records_) records_->write_uses();
  if (verified_) verified_->save();
  if (checksums_) checksums_->save();
}

Status Store::sync() {
  const auto before = options_.wall_clock_ns();
  if (auto synced = dir_->sync(); !synced) return synced;
  return epoch_->set_synced(before);
}

// Every public call that touches objects: under the shared lock, and with the traces of damaged objects
// removed before anybody else can look.
template <class Call>
auto Store::shared(Call&& call, Missing missing) -> decltype(call()) {
  const auto hold = lock_->shared();
  auto result = call();
  const bool is_missing =
      missing == Missing::is_damage && !result && result.error().reason == Reason::not_found;
  const bool was_dropped = !objects_->take_damaged().empty();
  if (!was_dropped && !is_missing) return result;
  has_met_damage_ = true;
  auto lost = settle_damage(parts(), was_dropped);
  if (!lost) return tl::unexpected(lost.error());
  objects_->take_damaged();  // what the check of the records met on its way is settled by it
  const std::lock_guard lock(lost_mutex_);
  lost_outputs_.insert(lost->begin(), lost->end());
  return result;
}

// A job may have begun before its dependency was dropped.
Status Store::check_dependencies(const ArtifactRecord& record, const std::string& recipe) {
  {
    const std::lock_guard lock(lost_mutex_);
    if (lost_outputs_.empty()) return {};
  }
  const auto document = recipe.empty() ? objects_->read(record.recipe) : Result<std::string>(recipe);
  if (!document) return tl::unexpected(document.error());
  const std::lock_guard lock(lost_mutex_);
  for (const auto& hash : digests_in(*document))
    if (lost_outputs_.contains(hash))
      return fail(Reason::not_found, "it was built with an artifact that is damaged in the cache",
                  "build again");
  lost_outputs_.erase(record.output.hash);  // it is there again
  return {};
}

Result<std::optional<Artifact>> Store::lookup(const Key& key) {
  return shared([&]() -> Result<std::optional<Artifact>> {
    auto found = records_->find(key, options_.wall_clock_ns());
    if (!found || !*found || pins_->empty()) return found;
    const auto& artifact = **found;
    for (const auto& kept :
         {pins_->keep_key(artifact.key), pins_->keep_tree(artifact.record.output),
          artifact.record.recipe_inside ? Status() : pins_->keep_blob(artifact.record.recipe),
          pins_->keep_blob(artifact.record.log)})
      if (!kept) return tl::unexpected(kept.error());
    return found;
  });
}

Result<Ticket> Store::commit(const Key& key, const ArtifactRecord& record, CommitMore more) {
  auto hold = lock_->shared();
  for (const auto& digest : {record.output, record.log})
    if (!objects_->has(digest)) return fail_missing(digest);
  // The record that this one takes the place of may be what the recipe is kept with.
  if (more.recipe.empty() && !objects_->has(record.recipe)) {
    auto inside = records_->recipe(record.recipe);
    if (!inside) return fail_missing(record.recipe);
    more.recipe = std::move(*inside);
  }
  if (auto checked = check_dependencies(record, more.recipe); !checked) {
    has_met_damage_ = true;
    return tl::unexpected(checked.error());
  }
  if (auto kept = pins_->keep_key(key); !kept) return tl::unexpected(kept.error());
  return committer_->submit(key, encode(record, key, more.recipe, more.alias), std::move(hold), more.alias);
}

Result<Ticket> Store::alias(const Key& from, const Key& to) {
  if (from == to) return fail(Reason::bug, "an alias of " + from.hex() + " to itself");
  return committer_->submit(from, encode_alias(from, to), lock_->shared(), std::nullopt);
}

void Store::note_miss() {
  const auto hold = lock_->shared();
  (void)epoch_->something_was_removed();
}

Result<bool> Store::rm(const Key& key) {
  const auto hold = lock_->shared();
  // `weir why` compares with it; like the other objects of the record it stays until a gc.
  if (const auto recipe = records_->recipe_of(key))
    if (auto put = objects_->put(digest_of(*recipe), *recipe, false); !put)
      return tl::unexpected(put.error());
  auto removed = records_->remove(key);
  if (removed && *removed)
    if (auto told = epoch_->something_was_removed(); !told) return tl::unexpected(told.error());
  return removed;
}

Result<Imported> Store::pinned(Result<Imported> imported) {
  if (!imported) return imported;
  if (auto kept = pins_->keep_tree(imported->tree); !kept) return tl::unexpected(kept.error());
  return imported;
}

Result<Imported> Store::import(const std::string& path, const Exclude& exclude, SeenPaths* seen) {
  return shared([&] { return pinned(importer_->import(path, exclude, seen)); }, Missing::is_expected);
}

Result<Imported> Store::collect(const std::string& install_root) {
  return shared([&] { return pinned(importer_->collect(install_root)); }, Missing::is_expected);
}

Result<Digest> Store::put_blob(std::string_view bytes) {
  return shared([&]() -> Result<Digest> {
    const auto digest = digest_of(bytes);
    if (auto put = objects_->put(digest, bytes, false); !put) return tl::unexpected(put.error());
    if (auto kept = pins_->keep_blob(digest); !kept) return tl::unexpected(kept.error());
    return digest;
  });
}

Result<Digest> Store::put_file(const std::string& path) {
  return shared([&]() -> Result<Digest> {
    auto digest = importer_->put_file(path);
    if (!digest) return digest;
    if (auto kept = pins_->keep_blob(*digest); !kept) return tl::unexpected(kept.error());
    return digest;
  });
}

Result<bool> Store::accept(Incoming& incoming) {
  auto right = incoming.is_right();
  if (!right || !*right) return right;
  return shared([&]() -> Result<bool> {
    const auto taken = objects_->take(std::exchange(incoming.name_, {}), incoming.fd(), incoming.expected(),
                                      incoming.executable());
    if (!taken) return tl::unexpected(taken.error());
    if (auto kept = pins_->keep_blob(incoming.expected()); !kept) return tl::unexpected(kept.error());
    return true;
  });
}

Result<Digest> Store::put_directory(Directory directory) {
  return shared([&]() -> Result<Digest> {
    for (const auto& file : directory.files)
      if (!objects_->has(file.digest)) return fail_missing(file.digest);
    for (const auto& child : directory.directories)
      if (!objects_->has(child.digest)) return fail_missing(child.digest);
    const auto bytes = encode(directory);
    const auto digest = digest_of(bytes);
    if (auto put = objects_->put(digest, bytes, false); !put) return tl::unexpected(put.error());
    if (auto kept = pins_->keep_tree(digest); !kept) return tl::unexpected(kept.error());
    return digest;
  });
}

bool Store::has(const Digest& digest) {
  return shared([&]() -> Result<bool> { return objects_->has(digest) || records_->recipe(digest); })
      .value_or(false);
}

Result<std::string> Store::read_blob(const Digest& digest, Missing missing) {
  return shared(
      [&]() -> Result<std::string> {
        auto bytes = objects_->read(digest);
        if (bytes || bytes.error().reason != Reason::not_found) return bytes;
        auto recipe = records_->recipe(digest);
        if (!recipe) return bytes;
        return std::move(*recipe);
      },
      missing);
}

Result<UniqueFd> Store::open_object_or_recipe(const Digest& digest) {
  auto file = objects_->open_verified(digest);
  if (file || file.error().reason != Reason::not_found) return file;
  const auto recipe = records_->recipe(digest);
  return recipe ? memory_file(*recipe) : std::move(file);
}

Result<UniqueFd> Store::open_blob(const Digest& digest) {
  return shared([&] { return open_object_or_recipe(digest); });
}

Result<std::vector<UniqueFd>> Store::open_blobs(std::span<const Digest> digests) {
  return shared([&]() -> Result<std::vector<UniqueFd>> {
    std::vector<UniqueFd> files(digests.size());
    auto opened = for_each_index(options_.parallel_for, digests.size(), [&](std::size_t i) -> Status {
      auto file = open_object_or_recipe(digests[i]);
      if (!file) return tl::unexpected(file.error());
      files[i] = std::move(*file);
      return {};
    });
    if (!opened) return tl::unexpected(opened.error());
    return files;
  });
}

Result<std::optional<Store::UnverifiedBlob>> Store::open_unverified(const Digest& digest) {
  return shared([&]() -> Result<std::optional<UnverifiedBlob>> {
    const auto checksum = objects_->checksum_of(digest);
    if (!checksum) return std::nullopt;
    auto file = objects_->open(digest);
    if (!file) return tl::unexpected(file.error());
    return UnverifiedBlob{std::move(*file), *checksum};
  });
}

Result<Tree> Store::read_tree(const Digest& tree) {
  return shared([&]() -> Result<Tree> {
    const auto distinct = DistinctTree::read(*objects_, tree, options_.parallel_for);
    if (!distinct) return tl::unexpected(distinct.error());
    Tree message{*distinct->content(tree), {}};
    for (const auto& digest : distinct->directories())
      if (digest != tree) message.children.push_back(*distinct->content(digest));
    return message;
  });
}

Result<Digest> Store::merge(std::span<const Layer> layers, const MayOverlap& may_overlap) {
  return shared([&]() -> Result<Digest> {
    auto tree = merge_trees(*objects_, layers, may_overlap);
    if (!tree) return tree;
    if (auto kept = pins_->keep_tree(*tree); !kept) return tl::unexpected(kept.error());
    return tree;
  });
}

Result<Stage> Store::stage(std::span<const Layer> layers, StageMode mode, const MayOverlap& may_overlap) {
  return shared([&]() -> Result<Stage> {
    auto tree = merge_trees(*objects_, layers, may_overlap);
    if (!tree) return tl::unexpected(tree.error());
    Pin own;  // a stage without a run keeps its tree by itself
    if (pins_->empty()) {
      auto made = pins_->add("stage");
      if (!made) return tl::unexpected(made.error());
      own = std::move(*made);
    }
    if (auto kept = pins_->keep_tree(*tree); !kept) return tl::unexpected(kept.error());
    auto stage = stager_->stage(*tree, mode);
    if (stage) stage->pin_ = std::move(own);
    return stage;
  });
}

Status Store::check_stage(const Stage& stage) {
  return shared([&]() -> Status {
    const auto whole = stager_->is_still_whole(stage);
    if (!whole) return tl::unexpected(whole.error());
    if (*whole) return {};
    const Digest trees[] = {stage.tree()};
    (void)store::verify_trees(parts(), trees);
    return fail(Reason::not_found, "files of its dependencies were changed in the cache while it ran",
                "build again");
  });
}

Status Store::checkout(const Digest& tree, const std::string& directory) {
  return shared([&] { return stager_->checkout(tree, directory); });
}

Result<Pin> Store::pin(std::string_view run) {
  const auto hold = lock_->shared();
  return pins_->add(run);
}

Result<GcReport> Store::gc(const GcRequest& request) {
  committer_->drain();
  return collect_garbage(parts(), *lock_, request);
}

Result<VerifyReport> Store::verify() {
  const auto hold = lock_->shared();
  return store::verify(parts());
}

Result<bool> Store::verify_trees(std::span<const Digest> trees) {
  return shared([&] { return store::verify_trees(parts(), trees); });
}

Result<StoreStat> Store::stat() {
  const auto hold = lock_->shared();
  auto inodes = list_objects(*dir_);
  if (!inodes) return tl::unexpected(inodes.error());
  auto records = records_->list();
  if (!records) return tl::unexpected(records.error());
  auto pins = survey_pins(*dir_);
  if (!pins) return tl::unexpected(pins.error());
  StoreStat stat;
  stat.objects = inodes->size();
  for (const auto& inode : *inodes) stat.bytes += inode.bytes;
  for (const auto& one : *records) {
    ++(one.value && std::holds_alternative<Key>(*one.value) ? stat.aliases : stat.records);
    if (const auto* record = one.value ? std::get_if<ArtifactRecord>(&*one.value) : nullptr)
      stat.bytes += recipe_bytes(*record);
  }
  stat.pins = pins->live;
  if (auto stages = open_directory(dir_->root(), epoch_->stage_directory()))
    if (auto entries = list_directory(stages->get())) stat.stages = entries->size();
  return stat;
}

void Store::note_uses(std::span<const Key> keys) { records_->note_uses(keys, options_.wall_clock_ns()); }

void Store::flush() {
  committer_->drain();
  records_->write_uses();
}

}  // namespace weir::store
