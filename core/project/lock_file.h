// weir.lock: what `weir track` found, one entry per source, sorted, so that two people who track different
// elements get no conflict. An entry belongs to a source by what it says, not by its position: element, kind,
// url and track.
//
//   weir-lock = 1
//
//   [[source]]
//   element = "base/zlib"
//   kind = "git"
//   url = "https://example.org/zlib.git"
//   track = "main"
//   ref = "51b7f2abdade71cd9bb0e7a373ef2610ec6f9daf"
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/base/result.h"
#include "core/project/project.h"

namespace weir {

struct LoadedProject;
class ProjectFolder;

struct LockKey {
  std::string element;
  std::string kind;
  std::string url;  // or the path of a source that has one instead
  std::string track;
  bool operator==(const LockKey&) const = default;
  bool operator<(const LockKey& other) const {
    return std::tie(element, kind, url, track) < std::tie(other.element, other.kind, other.url, other.track);
  }
};
using Lock = std::map<LockKey, std::string>;  // to its ref

LockKey lock_key(const Element& element, const Source& source);

// Errors are diagnostics at `file`; what could be read is returned.
Lock parse_lock(std::string_view text, FileId file, Diagnostics& diagnostics);
std::string to_text(const Lock& lock);

// Reads root/weir.lock if it is there and gives each source without a ref of its own the one it finds. What
// is wrong in it becomes what loaded.lock_errors says.
void apply_lock_file(const ProjectFolder& folder, const std::string& root, LoadedProject& loaded);

// Where the ref of a source stands in the lock file, if that is one of these files.
Place place_in_lock(const SourceFiles& files, const LockKey& key);

// Merges `found` into root/weir.lock and drops entries that cannot be read and those of sources that the
// project has no more. A file of a later weir is an error, and so is one that cannot be read as a whole
// (conflict markers of a merge) if it names other sources than those found: their refs would be lost. The
// file is replaced by rename after its bytes are durable: a reader sees the old one or the new one, also
// after a crash.
Status update_lock_file(const std::string& root, const Project& project, const Lock& found);

}  // namespace weir
