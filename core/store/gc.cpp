#include "core/store/gc.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/store/file_tools.h"
#include "core/store/inventory.h"
#include "core/store/pin.h"
#include "core/store/stat_index.h"
#include "core/store/tree_reader.h"

namespace weir::store {

namespace {

using Found = Reach::Found;

// Everything one gc decides from, taken under the exclusive lock.
struct Scene {
  std::vector<ListedRecord> records;  // most recently used first
  PinSurvey pins;
  std::vector<ObjectInode> inodes;
  std::unordered_map<Sha256, std::uint64_t, HashOf> bytes;  // of all inodes of a hash
};

Result<Scene> take_scene(const StoreParts& parts) {
  auto records = parts.records.list();
  if (!records) return tl::unexpected(records.error());
  auto pins = survey_pins(parts.dir);
  if (!pins) return tl::unexpected(pins.error());
  auto inodes = list_objects(parts.dir);
  if (!inodes) return tl::unexpected(inodes.error());
  Scene scene{std::move(*records), std::move(*pins), std::move(*inodes), {}};
  for (const auto& inode : scene.inodes) scene.bytes[inode.hash] += inode.bytes;
  std::sort(scene.records.begin(), scene.records.end(), [](const ListedRecord& a, const ListedRecord& b) {
    return a.last_use_ns != b.last_use_ns ? a.last_use_ns > b.last_use_ns
                                          : a.key < b.key;  // unique in the end
  });
  return scene;
}

class Marker {
 public:
  Marker(const StoreParts& parts, Reach& reach) : parts_(parts), reach_(reach) {}

  // The objects of a record; nothing if it misses a directory.
  std::optional<Found> objects_of(const ArtifactRecord& record) {
    Found found{record.recipe, record.log};
    if (!reach_.add_tree(record.output, found)) return std::nullopt;
    return found;
  }

  // Long work done without the exclusive lock: afterwards nearly every directory is in memory.
  void warm_up() {
    Found found;
    auto records = parts_.records.list();
    if (!records) return;
    for (const auto& one : *records)
      if (const auto* record = one.value ? std::get_if<ArtifactRecord>(&*one.value) : nullptr)
        (void)reach_.add_tree(record->output, found);
  }

  void add_pins(const Roots& roots, Found& live) {
    live.insert(roots.blobs.begin(), roots.blobs.end());
    // A pin may name a tree that is being put together; what is there of it is kept.
    for (const auto& tree : roots.trees) (void)reach_.add_tree(tree, live);
  }

 private:
  const StoreParts& parts_;
  Reach& reach_;
};

struct Decision {
  std::unordered_set<Sha256, HashOf> live;
  std::unordered_set<Digest, HashOf> live_trees;  // roots whose staged tree may stay
  std::vector<Key> evicted;
  std::uint64_t bytes = 0;
};

class Decider {
 public:
  Decider(const Scene& scene, Marker& marker) : scene_(scene), marker_(marker) {
    for (const auto& key : scene.pins.roots.keys) pinned_.insert(key);
  }

  // Keeps records in the order of their last use as long as all that is kept fits into `most`.
  Decision decide(std::uint64_t most) {
    Decision decision;
    Found pinned;
    marker_.add_pins(scene_.pins.roots, pinned);
    keep(decision, pinned);
    decision.live_trees.insert(scene_.pins.roots.trees.begin(), scene_.pins.roots.trees.end());
    std::unordered_set<Key, HashOf> kept;
    bool full = false;
    for (const auto& one : scene_.records) {
      const auto* record = one.value ? std::get_if<ArtifactRecord>(&*one.value) : nullptr;
      if (one.value && !record) continue;
      if (record && keep_record(decision, one.key, *record, most, full)) kept.insert(one.key);
      else decision.evicted.push_back(one.key);
    }
    for (const auto& one : scene_.records)
      if (const auto* target = one.value ? std::get_if<Key>(&*one.value) : nullptr)
        if (!kept.count(*target)) decision.evicted.push_back(one.key);
    return decision;
  }

 private:
  std::uint64_t bytes_of(const Found& found, const Decision& decision) const {
    std::uint64_t bytes = 0;
    for (const auto& digest : found)
      if (const auto at = scene_.bytes.find(digest.hash);
          at != scene_.bytes.end() && !decision.live.count(digest.hash))
        bytes += at->second;
    return bytes;
  }

  void keep(Decision& decision, const Found& found) const {
    decision.bytes += bytes_of(found, decision);
    for (const auto& digest : found) decision.live.insert(digest.hash);
  }

  bool keep_record(Decision& decision, const Key& key, const ArtifactRecord& record, std::uint64_t most,
                   bool& full) {
    const bool pinned = pinned_.count(key) > 0;
    if (full && !pinned) return false;
    const auto found = marker_.objects_of(record);
    if (!found) return false;
    const auto inside = recipe_bytes(record);
    if (!pinned && decision.bytes + bytes_of(*found, decision) + inside > most) {
      full = true;
      return false;
    }
    keep(decision, *found);
    decision.bytes += inside;
    decision.live_trees.insert(record.output);
    return true;
  }

  const Scene& scene_;
  Marker& marker_;
  std::unordered_set<Key, HashOf> pinned_;
};

Decision decide(const Scene& scene, Marker& marker, const GcRequest& request) {
  constexpr auto kAll = ~std::uint64_t{0};
  Decider decider(scene, marker);
  auto decision = decider.decide(kAll);
  const auto part = [&](double share) {
    return static_cast<std::uint64_t>(static_cast<double>(request.quota) * share);
  };
  if (request.quota == 0 || decision.bytes <= part(request.high)) return decision;
  return decider.decide(part(request.low));
}

Status remove_records(const StoreParts& parts, const Scene& scene, const Decision& decision,
                      GcReport& report) {
  const std::unordered_set<Key, HashOf> evicted(decision.evicted.begin(), decision.evicted.end());
  for (const auto& one : scene.records)
    if (const auto* record = one.value ? std::get_if<ArtifactRecord>(&*one.value) : nullptr)
      (evicted.count(one.key) ? report.bytes_removed : report.bytes_left) += recipe_bytes(*record);
  for (const auto& key : decision.evicted) {
    auto removed = parts.records.remove(key);
    if (!removed) return tl::unexpected(removed.error());
    report.records_removed += *removed;
  }
  return {};
}

Status remove_objects(const StoreParts& parts, const Scene& scene, const Decision& decision,
                      GcReport& report) {
  for (const auto& inode : scene.inodes) {
    if (decision.live.count(inode.hash)) {
      report.bytes_left += inode.bytes;
      continue;
    }
    const auto name = ObjectFiles::name_of(inode.hash, inode.executable);
    const int error = parts.dir.files().unlink(parts.dir.root(), name.c_str());
    if (error == EISDIR) {  // damage
      if (auto removed = remove_tree(parts.dir.root(), name); !removed) return removed;
    } else if (error && error != ENOENT) {
      return fail_errno("removing " + name, error);
    }
    ++report.objects_removed;
    report.bytes_removed += inode.bytes;
  }
  return {};
}

std::vector<Entry> entries_of(const StoreParts& parts, const std::string& name) {
  auto fd = open_directory(parts.dir.root(), name);
  if (!fd) return {};
  return list_directory(fd->get()).value_or(std::vector<Entry>{});
}

// Staged trees are moved aside under the lock and removed after it; the objects' inodes live until then.
void put_aside(const StoreParts& parts, const std::string& name, std::vector<std::string>& aside) {
  auto temporary = parts.dir.temporary();
  // A folder that its owner may not write to cannot be moved.
  (void)::fchmodat(parts.dir.root(), name.c_str(), kStagedDirectoryMode, 0);
  if (::renameat(parts.dir.root(), name.c_str(), parts.dir.root(), temporary.c_str()) == 0)
    aside.push_back(std::move(temporary));
}

void sweep_stages(const StoreParts& parts, const Scene& scene, const Decision& decision, GcReport& report,
                  std::vector<std::string>& aside) {
  const auto current = parts.epoch.stage_directory();
  std::unordered_set<std::string> live;
  for (const auto& tree : decision.live_trees) live.insert(tree.hex());
  for (const auto& generation : entries_of(parts, "stage")) {
    const auto directory = "stage/" + generation.name;
    if (directory != current) {
      // A run that began before the damage may still have one of these bound into a sandbox.
      if (scene.pins.live == 0) put_aside(parts, directory, aside);
      continue;
    }
    for (const auto& tree : entries_of(parts, directory)) {
      if (live.count(tree.name)) continue;
      put_aside(parts, directory + "/" + tree.name, aside);
      ++report.stages_removed;
    }
  }
}

// A session whose flock is free belongs to a process that died, and a file to one that died creating the
// store.
void sweep_sessions(const StoreParts& parts, std::vector<std::string>& aside) {
  for (const auto& session : entries_of(parts, "tmp")) {
    const auto name = "tmp/" + session.name;
    if (session.type == DT_REG) ::unlinkat(parts.dir.root(), name.c_str(), 0);
    if (session.type != DT_DIR) continue;
    const UniqueFd fd(::openat(parts.dir.root(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) put_aside(parts, name, aside);
  }
}

bool removes_something(const Scene& scene, const Decision& decision) {
  return !decision.evicted.empty() ||
         std::any_of(scene.inodes.begin(), scene.inodes.end(),
                     [&](const auto& inode) { return !decision.live.count(inode.hash); });
}

// On a full disk nothing can be written, and gc is what makes room: then the indexes go, which would believe
// that the objects are still there.
Status tell_of_removal(const StoreParts& parts) {
  auto told = parts.epoch.something_was_removed();
  if (told || told.error().reason != Reason::resources) return told;
  return StatIndex::remove_all(parts.dir);
}

Status sweep(const StoreParts& parts, const Scene& scene, const Decision& decision, GcReport& report,
             std::vector<std::string>& aside) {
  if (auto removed = remove_records(parts, scene, decision, report); !removed) return removed;
  if (removes_something(scene, decision))
    if (auto told = tell_of_removal(parts); !told) return told;
  // Also when this gc evicted nothing: a record that rm removed a moment ago must not come back without them.
  if (auto synced = parts.dir.sync(); !synced) return synced;
  // Removing stages moves the ctime of the objects that stay, so most entries would be of no use.
  if (removes_something(scene, decision)) ::unlinkat(parts.dir.root(), VerifiedInodes::kFile, 0);
  parts.objects.checksums().keep_only(decision.live);
  sweep_stages(parts, scene, decision, report, aside);
  if (auto removed = remove_objects(parts, scene, decision, report); !removed) return removed;
  sweep_sessions(parts, aside);
  StatIndex::sweep(parts.dir);
  for (const auto& pin : scene.pins.stale)
    if (auto removed = remove_tree(parts.dir.root(), pin); !removed) return removed;
  return {};
}

}  // namespace

Result<GcReport> collect_garbage(const StoreParts& parts, const StoreLock& lock, const GcRequest& request) {
  parts.records.write_uses();
  Reach reach(parts.objects);
  Marker marker(parts, reach);
  marker.warm_up();
  GcReport report;
  std::vector<std::string> aside;
  {
    auto alone = lock.exclusive();
    if (!alone) return tl::unexpected(alone.error());
    auto scene = take_scene(parts);
    if (!scene) return tl::unexpected(scene.error());
    report.pins_live = scene->pins.live;
    const auto decision = decide(*scene, marker, request);
    if (auto swept = sweep(parts, *scene, decision, report, aside); !swept)
      return tl::unexpected(swept.error());
  }
  for (const auto& name : aside)
    if (auto removed = remove_tree(parts.dir.root(), name); !removed) return tl::unexpected(removed.error());
  return report;
}

}  // namespace weir::store
