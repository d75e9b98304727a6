#include "core/base/abandoned_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>

#include "core/base/fd.h"

namespace weir {

namespace {

// 0: not such a name.
pid_t writer_of(std::string_view file, std::string_view name) {
  if (file.ends_with(".tmp")) file.remove_suffix(4);
  else if (!name.empty()) return 0;
  const auto dot = file.rfind('.');
  if (dot == file.npos || dot == 0 || (!name.empty() && file.substr(0, dot) != name)) return 0;
  pid_t pid = 0;
  const auto* end = file.data() + file.size();
  const auto read = std::from_chars(file.data() + dot + 1, end, pid);
  return read.ec == std::errc() && read.ptr == end && pid > 0 ? pid : 0;
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

// In /tmp there are those of others too.
bool is_own_file(int folder, const char* name) {
  struct stat info {};
  return ::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
         info.st_uid == ::geteuid();
}

}  // namespace

void remove_abandoned_files(int folder, std::string_view name) {
  UniqueFd again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again ? ::fdopendir(again.get()) : nullptr, ::closedir);
  if (!entries) return;
  again.release();
  while (const auto* entry = ::readdir(entries.get())) {
    const auto pid = writer_of(entry->d_name, name);
    if (pid > 0 && !exists(pid) && is_own_file(folder, entry->d_name)) ::unlinkat(folder, entry->d_name, 0);
  }
}

void remove_abandoned_files(const std::string& folder, std::string_view name) {
  const UniqueFd opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (opened) remove_abandoned_files(opened.get(), name);
}

}  // namespace weir
