#include "core/base/program.h"

#include <unistd.h>

#include <string_view>

namespace weir {

std::string program_folder() {
  char program[4096];
  const auto size = ::readlink("/proc/self/exe", program, sizeof program);
  if (size <= 0) return {};
  const std::string_view path(program, static_cast<std::size_t>(size));
  return std::string(path.substr(0, path.rfind('/')));
}

}  // namespace weir
