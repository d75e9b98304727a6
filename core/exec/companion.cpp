#include "core/exec/companion.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/program.h"

namespace weir {

std::string find_companion(std::string_view name) {
  const auto folder = program_folder();
  if (folder.empty()) return {};
  // Tests and benchmarks are in folders beside bin/; where weir is installed, only people's programs are in
  // bin/.
  for (const auto* place : {"", "/../bin", "/../lib/weir"}) {
    auto file = fmt::format("{}{}/{}", folder, place, name);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace weir
