#include "core/cli/old_downloads.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

#include "core/base/fd.h"

namespace weir::cli {

namespace {

constexpr std::time_t kOld = 24 * 60 * 60;

bool remove_if_old(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (std::time(nullptr) - info.st_mtime < kOld || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
  return ::unlink(path.c_str()) == 0;
}

}  // namespace

std::size_t remove_old_downloads(const std::string& folder) {
  std::size_t removed = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    removed += remove_if_old(entry.path().string());
  return removed;
}

}  // namespace weir::cli
