// The home folder of the user as whom weir runs.
#pragma once

#include <pwd.h>
#include <unistd.h>

#include <string>

namespace weir {

// `given`: of the environment, which counts if it is absolute; else the passwd entry decides. Empty if there
// is none.
inline std::string home_folder(const char* given) {
  if (given != nullptr && *given == '/') return given;
  const auto* entry = getpwuid(geteuid());
  return entry != nullptr && *entry->pw_dir == '/' ? entry->pw_dir : "";
}

}  // namespace weir
