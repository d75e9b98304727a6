#include "core/cli/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

namespace weir::cli {

namespace {

UniqueFd lock(int parent, const std::string& path, int how) {
  UniqueFd folder(::openat(parent, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder && ::flock(folder.get(), how | LOCK_NB) != 0) folder.reset();
  return folder;
}

}  // namespace

UniqueFd lock_folder(const std::string& path) { return lock(AT_FDCWD, path, LOCK_EX); }
UniqueFd lock_folder(int parent, const std::string& name) { return lock(parent, name, LOCK_EX); }
UniqueFd share_folder(const std::string& path) { return lock(AT_FDCWD, path, LOCK_SH); }

}  // namespace weir::cli
