#include "core/exec/companion.h"

#include <fmt/format.h>
#include <unistd.h>

namespace weir {

std::string find_companion(std::string_view name) {
  char program[4096];
  const auto size = ::readlink("/proc/self/exe", program, sizeof program);
  if (size <= 0) return {};
  const std::string_view path(program, static_cast<std::size_t>(size));
  const auto folder = path.substr(0, path.rfind('/'));
  // Tests and benchmarks are in folders beside bin/.
  for (const auto* place : {"", "/../bin"}) {
    auto file = fmt::format("{}{}/{}", folder, place, name);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace weir
