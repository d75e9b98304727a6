#include "core/cli/shell_folder.h"

#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>

#include "core/base/remove_tree.h"
#include "core/cli/folder_lock.h"
#include "core/store/file_tools.h"

namespace weir::cli {

namespace fs = std::filesystem;

Result<ShellFolder> ShellFolder::make(const std::string& project_folder) {
  if (const UniqueFd opened(::open(project_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)); opened)
    remove_dead_shells(opened.get());
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

void remove_dead_shells(int project_folder) {
  const UniqueFd shells(::openat(project_folder, "shells", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!shells) return;
  for (const auto& entry : store::list_directory(shells.get()).value_or(std::vector<store::Entry>{}))
    if (const auto lock = lock_folder(shells.get(), entry.name)) (void)remove_tree(shells.get(), entry.name);
}

}  // namespace weir::cli
