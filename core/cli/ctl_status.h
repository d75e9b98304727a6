// The status of a run, for people. What a newer or older run does not tell is left out.
#pragma once

#include <string>

#include "core/base/json_value.h"

namespace weir::cli {

// `status` is the object of that name in the answer of a run (docs/control.md).
std::string status_text(const JsonValue& status);

}  // namespace weir::cli
