// `weir sim place`: one story of workers, jobs and artifacts, step by step.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir::sim {

// The document in, the document out.
Result<std::string> simulate_place(std::string_view document);

}  // namespace weir::sim
