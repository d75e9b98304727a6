#include "core/store/verify.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "core/store/inventory.h"
#include "core/store/tree_reader.h"

namespace weir::store {

namespace {

constexpr std::int64_t kSlackNs = 2'000'000'000;  // as in the stat index: the coarsest clock of a file system

// Nothing if the file cannot be read: a disk that gives EIO has lost the object as well.
std::optional<Digest> hash_inode(const StoreDir& dir, const ObjectInode& inode) {
  const auto name = ObjectFiles::name_of(inode.hash, inode.executable);
  const UniqueFd fd(::openat(dir.root(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return std::nullopt;
  constexpr std::size_t kChunk = 1 << 18;
  thread_local const auto buffer = std::make_unique<char[]>(kChunk);
  Hasher hasher;
  for (;;) {
    const auto got = ::read(fd.get(), buffer.get(), kChunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return hasher.finish();
    hasher.update({buffer.get(), static_cast<std::size_t>(got)});
  }
}

bool is_object(const StoreDir& dir, const Sha256& hash, bool executable) {
  return ::faccessat(dir.root(), ObjectFiles::name_of(hash, executable).c_str(), F_OK, 0) == 0;
}

// Hashes the inodes and drops those whose content is not what their name says.
std::vector<Digest> drop_wrong(const StoreParts& parts, const std::vector<ObjectInode>& inodes) {
  std::mutex mutex;
  std::vector<Digest> wrong;
  parts.parallel_for(inodes.size(), [&](std::size_t i) {
    const auto digest = hash_inode(parts.dir, inodes[i]);
    if (digest && digest->hash == inodes[i].hash) return;
    const std::lock_guard lock(mutex);
    wrong.push_back({inodes[i].hash, inodes[i].bytes});
  });
  for (const auto& digest : wrong) parts.objects.drop(digest);
  return wrong;
}

// True if the store has all that the record names.
bool is_whole(ObjectFiles& objects, Reach& reach, Reach::Found& known, const ArtifactRecord& record) {
  Reach::Found found{record.log};
  if (!record.recipe_inside) found.insert(record.recipe);
  if (!reach.add_tree(record.output, found)) return false;
  for (const auto& digest : found) {
    if (known.count(digest)) continue;
    if (!objects.has(digest)) return false;
    known.insert(digest);
  }
  return true;
}

Status check_records(const StoreParts& parts, VerifyReport& report) {
  auto listed = parts.records.list();
  if (!listed) return tl::unexpected(listed.error());
  Reach reach(parts.objects);
  Reach::Found known;
  std::unordered_set<Key, HashOf> whole;
  for (const auto& one : *listed) {
    const auto* record = one.value ? std::get_if<ArtifactRecord>(&*one.value) : nullptr;
    if (one.value && !record) continue;
    ++report.records;
    if (record && is_whole(parts.objects, reach, known, *record)) {
      whole.insert(one.key);
      continue;
    }
    report.broken.push_back(one.key);
    if (auto removed = parts.records.remove(one.key); !removed) return tl::unexpected(removed.error());
  }
  for (const auto& one : *listed) {
    const auto* target = one.value ? std::get_if<Key>(&*one.value) : nullptr;
    if (!target || whole.count(*target)) continue;
    ++report.loose_aliases;
    if (auto removed = parts.records.remove(one.key); !removed) return tl::unexpected(removed.error());
  }
  return {};
}

}  // namespace

Result<VerifyReport> verify(const StoreParts& parts) {
  auto inodes = list_objects(parts.dir);
  if (!inodes) return tl::unexpected(inodes.error());
  VerifyReport report;
  report.objects = inodes->size();
  for (const auto& inode : *inodes) report.bytes += inode.bytes;
  for (const auto& digest : drop_wrong(parts, *inodes)) report.damaged.push_back(digest.hex());
  if (auto checked = check_records(parts, report); !checked) return tl::unexpected(checked.error());
  parts.objects.take_damaged();
  if (report.clean()) return report;
  if (auto done = parts.epoch.object_was_damaged(); !done) return tl::unexpected(done.error());
  return report;
}

Result<bool> verify_trees(const StoreParts& parts, std::span<const Digest> trees) {
  Reach reach(parts.objects);
  Reach::Found found;
  for (const auto& tree : trees) {
    const auto added = reach.add_tree(tree, found);
    if (!added && added.error().reason == Reason::not_found) return false;
    if (!added) return tl::unexpected(added.error());
  }
  std::vector<ObjectInode> inodes;
  for (const auto& digest : found) {
    if (!parts.objects.has(digest)) return false;
    for (const bool executable : {false, true})
      if (is_object(parts.dir, digest.hash, executable))
        inodes.push_back({digest.hash, executable, digest.size, 0});
  }
  return drop_wrong(parts, inodes).empty();
}

Status recover(const StoreParts& parts, std::int64_t now_ns) {
  const auto boot = parts.epoch.boot();
  if (boot.id == parts.epoch.boot_id()) return {};
  auto inodes = list_objects(parts.dir);
  if (!inodes) return tl::unexpected(inodes.error());
  std::vector<ObjectInode> young;
  for (const auto& inode : *inodes)
    if (inode.ctime_ns + kSlackNs >= boot.synced_ns) young.push_back(inode);
  drop_wrong(parts, young);
  parts.objects.take_damaged();  // no record names them: records come after a sync
  if (auto done = parts.epoch.object_was_damaged(); !done) return done;
  if (auto synced = parts.dir.sync(); !synced) return synced;
  return parts.epoch.set_synced(now_ns);
}

Status settle_damage(const StoreParts& parts, std::span<const Digest> dropped) {
  if (dropped.empty()) return {};
  if (auto done = parts.epoch.object_was_damaged(); !done) return done;
  VerifyReport report;
  return check_records(parts, report);
}

}  // namespace weir::store
