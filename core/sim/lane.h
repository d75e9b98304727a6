// `weir sim lane`: jobs through one ordered lane on virtual time.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir::sim {

// The document in, the document out.
Result<std::string> simulate_lane(std::string_view document);

}  // namespace weir::sim
