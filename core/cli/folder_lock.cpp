#include "core/cli/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

namespace weir::cli {

namespace {

UniqueFd lock(const std::string& path, int how) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder && ::flock(folder.get(), how | LOCK_NB) != 0) folder.reset();
  return folder;
}

}  // namespace

UniqueFd lock_folder(const std::string& path) { return lock(path, LOCK_EX); }
UniqueFd share_folder(const std::string& path) { return lock(path, LOCK_SH); }

}  // namespace weir::cli
