// What there is to know of weir as a whole: for `weir --help` and weir(1).
#pragma once

#include <span>

namespace weir::cli {

struct Explained {
  const char* name;
  const char* text;
};

std::span<const Explained> exit_codes();
std::span<const Explained> environment_variables();
std::span<const Explained> important_files();

}  // namespace weir::cli
