// Paths on a machine with other users. A path is resolved here part by part, each part opened relative to the
// one before (O_PATH, O_NOFOLLOW), so that nobody can exchange a part between its check and its use.
//
// A symbolic link is followed if it belongs to the effective user or to root, and if its folder is not one
// where everybody may put links (/tmp). With Way::owned, each folder on the way must also belong to one of
// them, and be writable by no one else unless it has the sticky bit: then others can neither exchange what
// the path leads to now nor later, and it may be used by its name from then on. A private group, which has
// the name of the owner and no other members, counts as its owner.
//
// Errors are of Reason::usage and name owner, mode, path and remedy. Any thread; no state.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

enum class Way : unsigned char {
  owned,      // folders of the user, of root, and shared ones with the sticky bit
  any_owner,  // for what the user names as an output: only links are checked
};

struct ResolvedPath {
  UniqueFd parent;      // the last folder on the way that exists
  std::string missing;  // what is missing below it, from the first part that does not exist; else empty
  UniqueFd found;       // O_PATH, never a link; empty if something is missing
  std::string name;     // the part below parent that is found or missing; empty if there is none ("/", "..")
  std::string path;     // without links, as far as it exists; for messages
  struct stat info {};  // of `found`
};
Result<ResolvedPath> resolve_path(std::string_view path, Way way);

// Whether a folder, of which `path` is the name for people, belongs to the user or root and is writable by no
// one else.
Status check_owned_folder(const struct stat& info, const std::string& path);
// The same of a regular file.
Status check_owned_file(const struct stat& info, const std::string& path);

// For writing to a file as it is, or to a device or pipe: `flags` of open() with O_CREAT or without. As
// replace_file does, it refuses links of other users on the way.
Result<UniqueFd> open_output(const std::string& path, int flags, mode_t mode = 0666);

// A folder of the user's own: what is missing is made, for the user alone, and what is there is checked.
Result<UniqueFd> make_owned_folder(const std::string& path);

}  // namespace weir
