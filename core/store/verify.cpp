#include "core/store/verify.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "core/base/interruption.h"
#include "core/store/file_tools.h"
#include "core/store/inventory.h"
#include "core/store/stage_check.h"
#include "core/store/tree_reader.h"

namespace weir::store {

namespace {

constexpr std::int64_t kSlackNs = 2'000'000'000;  // as in the stat index: the coarsest clock of a file system

// A file that was extended to a size that nobody ever wrote: to hash it could take hours. Its time has
// changed by that, so an output with holes that weir keeps is not taken for one.
bool has_grown(const struct stat& info) {
  constexpr std::int64_t kBlock = 512;  // of st_blocks
  return info.st_mtim.tv_sec != kFixedMtime && info.st_blocks * kBlock < info.st_size / 2;
}

// The machine lacks something, or weir is interrupted: nothing is known then, and nothing may be dropped.
bool says_nothing(const Error& error) {
  return error.reason == Reason::resources || error.reason == Reason::cancelled;
}

// False also if the file cannot be read: a disk that gives EIO has lost the object as well. Hashed by SHA-256
// whatever is known of it: only this finds a change that the file system did not see.
Result<bool> is_right(const StoreParts& parts, const ObjectInode& inode) {
  const auto name = ObjectFiles::name_of(inode.hash, inode.executable);
  struct stat info {};
  if (::fstatat(parts.dir.root(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || has_grown(info))
    return false;
  parts.objects.verified().forget(info.st_ino);
  parts.objects.checksums().forget(inode.hash);
  const auto provided = parts.objects.provide({inode.hash, inode.bytes}, inode.executable);
  if (!provided && says_nothing(provided.error())) return tl::unexpected(provided.error());
  return provided.has_value();
}

bool is_object(const StoreDir& dir, const Sha256& hash, bool executable) {
  return ::faccessat(dir.root(), ObjectFiles::name_of(hash, executable).c_str(), F_OK, 0) == 0;
}

// Hashes the inodes and drops those whose content is not what their name says.
Result<std::vector<Digest>> drop_wrong(const StoreParts& parts, const std::vector<ObjectInode>& inodes) {
  std::mutex mutex;
  std::vector<Digest> wrong;
  auto looked = for_each_index(parts.parallel_for, inodes.size(), [&](std::size_t i) -> Status {
    if (interrupted()) return fail_interrupted();
    const auto right = is_right(parts, inodes[i]);
    if (!right) return tl::unexpected(right.error());
    if (*right) return {};
    const std::lock_guard lock(mutex);
    wrong.push_back({inodes[i].hash, inodes[i].bytes});
    return {};
  });
  if (!looked) return tl::unexpected(looked.error());
  for (const auto& digest : wrong) parts.objects.drop(digest);
  return wrong;
}

// True if the store has all that the record names.
Result<bool> is_whole(ObjectFiles& objects, Reach& reach, Reach::Found& known, const ArtifactRecord& record) {
  Reach::Found found{record.log};
  if (!record.recipe_inside) found.insert(record.recipe);
  const auto added = reach.add_tree(record.output, found);
  if (!added && says_nothing(added.error())) return tl::unexpected(added.error());
  if (!added) return false;
  for (const auto& digest : found) {
    if (known.count(digest)) continue;
    if (!objects.has(digest)) return false;
    known.insert(digest);
  }
  return true;
}

struct JudgedRecords {
  std::vector<const ListedRecord*> whole, incomplete;
  std::vector<Key> unreadable;
};

Result<JudgedRecords> judge_records(const StoreParts& parts, const std::vector<ListedRecord>& listed) {
  JudgedRecords judged;
  Reach reach(parts.objects);
  Reach::Found known;
  for (const auto& one : listed) {
    if (!one.value) {
      judged.unreadable.push_back(one.key);
    } else if (const auto* record = std::get_if<ArtifactRecord>(&*one.value)) {
      const auto whole = is_whole(parts.objects, reach, known, *record);
      if (!whole) return tl::unexpected(whole.error());
      (*whole ? judged.whole : judged.incomplete).push_back(&one);
    }
  }
  return judged;
}

const ArtifactRecord& record_of(const ListedRecord& listed) {
  return std::get<ArtifactRecord>(*listed.value);
}

std::string recipe_text(const StoreParts& parts, const ListedRecord& listed) {
  const auto& record = record_of(listed);
  if (record.recipe_inside) return parts.records.recipe_of(listed.key).value_or("");
  return parts.objects.read(record.recipe).value_or("");
}

// Records whose artifact was built with the output of an incomplete one, directly or not. The damage may be
// older than they are, and then they are wrong as well.
std::unordered_set<Key, HashOf> dependents_of(const StoreParts& parts, const JudgedRecords& judged) {
  std::unordered_set<Key, HashOf> found;
  if (judged.incomplete.empty()) return found;
  std::unordered_multimap<Sha256, const ListedRecord*, HashOf> users;
  for (const auto* one : judged.whole)
    for (const auto& hash : digests_in(recipe_text(parts, *one))) users.emplace(hash, one);
  auto open = judged.incomplete;
  while (!open.empty()) {
    const auto [begin, end] = users.equal_range(record_of(*open.back()).output.hash);
    open.pop_back();
    for (auto user = begin; user != end; ++user)
      if (found.insert(user->second->key).second) open.push_back(user->second);
  }
  return found;
}

Status remove_records(RecordFiles& records, std::span<const Key> keys) {
  for (const auto& key : keys)
    if (auto removed = records.remove(key); !removed) return tl::unexpected(removed.error());
  return {};
}

// Fills the report and removes what is in it. A run that is killed in between must not leave a snapshot valid
// whose artifacts are gone: first the epoch.
Status check_records(const StoreParts& parts, VerifyReport& report) {
  auto listed = parts.records.list();
  if (!listed) return tl::unexpected(listed.error());
  const auto all_judged = judge_records(parts, *listed);
  if (!all_judged) return tl::unexpected(all_judged.error());
  const auto& judged = *all_judged;
  report.records = judged.whole.size() + judged.incomplete.size() + judged.unreadable.size();
  report.broken = judged.unreadable;
  for (const auto* one : judged.incomplete) report.broken.push_back(one->key);
  const auto dependents = dependents_of(parts, judged);
  report.dependents.assign(dependents.begin(), dependents.end());
  for (const auto* one : judged.incomplete) report.lost_outputs.push_back(record_of(*one).output.hash);
  std::unordered_set<Key, HashOf> kept;
  for (const auto* one : judged.whole) {
    if (!dependents.count(one->key)) kept.insert(one->key);
    else report.lost_outputs.push_back(record_of(*one).output.hash);
  }
  std::vector<Key> aliases;
  for (const auto& one : *listed) {
    const auto* target = one.value ? std::get_if<Key>(&*one.value) : nullptr;
    if (target && !kept.count(*target)) aliases.push_back(one.key);
  }
  report.loose_aliases = aliases.size();
  if (!report.clean())
    if (auto done = parts.epoch.object_was_damaged(); !done) return done;
  for (const auto* keys : {&report.broken, &report.dependents, &aliases})
    if (auto removed = remove_records(parts.records, *keys); !removed) return removed;
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
  const auto wrong = drop_wrong(parts, *inodes);
  if (!wrong) return tl::unexpected(wrong.error());
  for (const auto& digest : *wrong) report.damaged.push_back(digest.hex());
  if (auto checked = check_stages(parts, *inodes, report); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_records(parts, report); !checked) return tl::unexpected(checked.error());
  parts.objects.take_damaged();
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
  const auto wrong = drop_wrong(parts, inodes);
  if (!wrong) return tl::unexpected(wrong.error());
  return wrong->empty();
}

Status recover(const StoreParts& parts, std::int64_t now_ns) {
  const auto boot = parts.epoch.boot();
  if (boot.id == parts.epoch.boot_id()) return {};
  auto inodes = list_objects(parts.dir);
  if (!inodes) return tl::unexpected(inodes.error());
  std::vector<ObjectInode> young;
  for (const auto& inode : *inodes)
    if (inode.ctime_ns + kSlackNs >= boot.synced_ns) young.push_back(inode);
  if (const auto looked = drop_wrong(parts, young); !looked) return tl::unexpected(looked.error());
  parts.objects.take_damaged();  // no record names them: records come after a sync
  if (auto done = parts.epoch.object_was_damaged(); !done) return done;
  if (auto synced = parts.dir.sync(); !synced) return synced;
  return parts.epoch.set_synced(now_ns);
}

std::vector<Sha256> digests_in(std::string_view recipe) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::vector<Sha256> found;
  for (auto at = recipe.find_first_of(kHex); at != recipe.npos;) {
    const auto end = std::min(recipe.find_first_not_of(kHex, at), recipe.size());
    if (const auto hash = parse_hex(recipe.substr(at, end - at))) found.push_back(*hash);
    at = recipe.find_first_of(kHex, end);
  }
  return found;
}

Result<std::vector<Sha256>> settle_damage(const StoreParts& parts, bool was_dropped) {
  if (was_dropped)
    if (auto done = parts.epoch.object_was_damaged(); !done) return tl::unexpected(done.error());
  VerifyReport report;
  if (auto checked = check_records(parts, report); !checked) return tl::unexpected(checked.error());
  return std::move(report.lost_outputs);
}

}  // namespace weir::store
