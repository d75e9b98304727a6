#include "core/snapshot/look.h"

#include <algorithm>

#include "core/project/project_folder.h"
#include "core/snapshot/take.h"

namespace weir::snapshot {

namespace {

class Looker {
 public:
  Looker(Snapshot& snapshot, const std::string& root)
      : snapshot_(snapshot), root_(root), taken_ns_(wall_clock_ns()) {}

  Changes run() {
    if (!snapshot_.open_watches()) return everything();
    const SweepInput input{root_, snapshot_.watches(), snapshot_.paths(), snapshot_.folders()};
    for (const auto& changed : sweep(input)) {
      see(changed);
      if (changes_.everything) return everything();
    }
    for (auto* rows : {&changes_.elements, &changes_.definitions}) {
      std::sort(rows->begin(), rows->end());
      rows->erase(std::unique(rows->begin(), rows->end()), rows->end());
    }
    return std::move(changes_);
  }

 private:
  static Changes everything() {
    Changes all;
    all.everything = true;
    return all;
  }

  void see(const Changed& changed) {
    const auto& watch = snapshot_.watches()[changed.watch];
    switch (watch.kind) {
      case WatchKind::source: return changes_.elements.push_back(watch.owner);
      case WatchKind::host: changes_.everything = true; return;
      default: break;
    }
    if (changed.now.value == 0 ? watch.stamp == 0 : same_content(changed.watch)) settle(changed);
    else if (watch.kind == WatchKind::element_file && watch.owner != kNone && changed.now.value != 0)
      changes_.definitions.push_back(watch.owner);
    else changes_.everything = true;
  }

  void settle(const Changed& changed) {
    auto patch = patch_of(snapshot_, changed.watch, changed.now, taken_ns_);
    if (patch.bytes != bytes_of(snapshot_.watches()[changed.watch]))
      changes_.settled.push_back(std::move(patch));
  }

  bool same_content(std::uint32_t i) {
    if (i >= snapshot_.contents().size()) return false;
    const auto& watch = snapshot_.watches()[i];
    const auto path = root_ + "/" + snapshot_.path_of(watch);
    if (watch.stamp == 0) return false;  // it was not there
    if (watch.kind == WatchKind::element_folder) return listing_of(path) == snapshot_.contents()[i];
    // A link that leads out of the project now is a change: only who loads all of it knows whether that is
    // allowed.
    if (!folder_) folder_.emplace(root_);
    const auto file = folder_->read(snapshot_.path_of(watch));
    return file.text && hash_of(*file.text) == snapshot_.contents()[i];
  }

  Snapshot& snapshot_;
  const std::string& root_;
  std::int64_t taken_ns_;
  std::optional<ProjectFolder> folder_;  // opened when it is first needed
  Changes changes_;
};

}  // namespace

Changes look(Snapshot& snapshot, const std::string& root) { return Looker(snapshot, root).run(); }

Patch patch_of(const Snapshot& snapshot, std::uint32_t watch, FileStamp now, std::int64_t taken_ns) {
  auto patched = snapshot.watches()[watch];
  patched.stamp = now.value;
  patched.young = is_settled(now.newest_ns, taken_ns) ? 0 : 1;
  return {Section::watches, watch * sizeof(Watch), std::string(bytes_of(patched))};
}

}  // namespace weir::snapshot
