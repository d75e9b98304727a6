#include "core/cli/shell_folder.h"

#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>

#include "core/cli/folder_lock.h"
#include "core/store/file_tools.h"

namespace weir::cli {

namespace fs = std::filesystem;

Result<ShellFolder> ShellFolder::make(const std::string& project_folder) {
  remove_dead_shells(project_folder);
  const auto all = project_folder + "/shells";
  std::error_code error;
  fs::create_directories(all, error);
  if (error) return fail_errno("making " + all, error.value());
  for (;;) {
    auto path = all + "/XXXXXX";
    if (!::mkdtemp(path.data())) return fail_errno("making a folder in " + all);
    auto lock = lock_folder(path);
    // Another weir may have taken it for a dead one before it was locked.
    if (lock && fs::exists(path, error)) return ShellFolder(std::move(path), std::move(lock));
  }
}

ShellFolder::~ShellFolder() {
  if (lock_) (void)store::remove_tree(AT_FDCWD, path_);
}

void remove_dead_shells(const std::string& project_folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(project_folder + "/shells", ignored)) {
    const auto path = entry.path().string();
    if (const auto lock = lock_folder(path)) (void)store::remove_tree(AT_FDCWD, path);
  }
}

}  // namespace weir::cli
