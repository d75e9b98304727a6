// Whether this machine can do what weir needs, each thing tried for real.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/project/settings.h"

namespace weir::cli {

struct Finding {
  enum class Level : std::uint8_t { ok, warning, wrong };
  Level level = Level::ok;
  std::string name;
  std::string message;
  std::string remedy;  // empty if there is nothing to do
};
std::string_view to_text(Finding::Level level);

std::vector<Finding> check_machine(const Settings& settings);

}  // namespace weir::cli
