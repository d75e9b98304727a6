// Streams of files in folders where damage may have left anything: opening a fifo would wait for its other
// end.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "core/base/fd.h"

namespace weir {

// Not open if it is no regular file. Damage may come at any time, so the file that was found regular is the
// one that is opened: O_PATH finds it without opening it.
inline std::ifstream open_regular_file(const std::string& path, std::ios::openmode mode = std::ios::in) {
  const UniqueFd found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat about {};
  if (!found || ::fstat(found.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
  return std::ifstream("/proc/self/fd/" + std::to_string(found.get()), mode | std::ios::binary);
}

}  // namespace weir
