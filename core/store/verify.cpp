#include "core/store/verify.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "core/store/file_tools.h"
#include "core/store/inventory.h"
#include "core/store/stage_check.h"
#include "core/store/tree_reader.h"

namespace weir::store {

namespace {

constexpr std::int64_t kSlackNs = 2'000'000'000;  // as in the stat index: the coarsest clock of a file system

// False also if the file cannot be read: a disk that gives EIO has lost the object as well. Hashed whatever
// is known of the inode: only this finds a change that the file system did not see.
bool is_right(const StoreParts& parts, const ObjectInode& inode) {
  const auto name = ObjectFiles::name_of(inode.hash, inode.executable);
  struct stat info {};
  if (::fstatat(parts.dir.root(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  parts.objects.verified().forget(info.st_ino);
  return parts.objects.has_content(parts.dir.root(), name.c_str(), {inode.hash, inode.bytes},
                                   inode.executable);
}

// Hashes the inodes and drops those whose content is not what their name says.
std::vector<Digest> drop_wrong(const StoreParts& parts, const std::vector<ObjectInode>& inodes) {
  std::mutex mutex;
  std::vector<Digest> wrong;
  parts.parallel_for(inodes.size(), [&](std::size_t i) {
    if (is_right(parts, inodes[i])) return;
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

// A stage whose tree is not in the store is compared when it is used again: then the tree is made first.
Status check_stages(const StoreParts& parts, const std::vector<ObjectInode>& inodes, VerifyReport& report) {
  const auto parent = parts.epoch.stage_directory();
  const auto directory = open_directory(parts.dir.root(), parent);
  if (!directory) return {};  // none was made
  auto entries = list_directory(directory->get());
  if (!entries) return tl::unexpected(entries.error());
  std::unordered_map<Sha256, std::uint64_t, HashOf> sizes;
  for (const auto& inode : inodes) sizes.emplace(inode.hash, inode.bytes);
  for (const auto& entry : *entries) {
    const auto hash = parse_hex(entry.name);
    const auto size = hash ? sizes.find(*hash) : sizes.end();
    if (size == sizes.end()) continue;
    const auto whole = stage_is_whole(parts.dir, parts.objects, parent + "/" + entry.name,
                                      {*hash, size->second}, parts.parallel_for);
    if (whole && !*whole) report.damaged_stages.push_back(entry.name);
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
  if (auto checked = check_stages(parts, *inodes, report); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_records(parts, report); !checked) return tl::unexpected(checked.error());
  parts.objects.take_damaged();
  if (report.clean()) return report;
  if (auto done = parts.epoch.object_was_damaged(); !done) return tl::unexpected(done.error());
  return report;
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
