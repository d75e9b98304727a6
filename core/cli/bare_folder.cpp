#include "core/cli/bare_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include "core/build/bare_lock.h"
#include "core/store/file_tools.h"

namespace weir::cli {

Result<store::KeyLock> lock_bare_folder(store::Store& store, const BuildPlan& plan, ElementId element) {
  auto lock = store.try_lock(bare_lock(plan.layout(element)));
  if (!lock) return tl::unexpected(lock.error());
  if (*lock) return std::move(**lock);
  return fail(Reason::not_found, fmt::format("another weir uses the folder of {}", plan.name(element)),
              "without a sandbox there is one for all; wait for its end");
}

// "%aside" is no name that escaped() gives. One that is there already is of a shell that was killed; what is at the place
// itself is newer.
BareFolder::BareFolder(std::string path) : path_(std::move(path)), aside_(path_ + "%aside") {
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0) return;
  (void)store::remove_tree(AT_FDCWD, aside_);
  ::rename(path_.c_str(), aside_.c_str());
}

BareFolder::~BareFolder() {
  (void)store::remove_tree(AT_FDCWD, path_);
  ::rename(aside_.c_str(), path_.c_str());
}

}  // namespace weir::cli
