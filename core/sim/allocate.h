// `weir sim allocate`: one allocation by load, from scratch.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir::sim {

// The document in, the document out.
Result<std::string> simulate_allocate(std::string_view document);

}  // namespace weir::sim
