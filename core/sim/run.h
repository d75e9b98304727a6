// `weir sim run`: a whole cluster on virtual time.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir::sim {

struct RunOutput {
  std::string json;
  std::string html;
};

Result<RunOutput> simulate_run(std::string_view document);

}  // namespace weir::sim
