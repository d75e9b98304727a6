#include "core/base/abandoned_files.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

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

}  // namespace

void remove_abandoned_files(const std::string& folder, std::string_view name) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const auto pid = writer_of(entry.path().filename().string(), name);
    if (pid > 0 && !exists(pid) && entry.is_regular_file(ignored)) ::unlink(entry.path().c_str());
  }
}

}  // namespace weir
