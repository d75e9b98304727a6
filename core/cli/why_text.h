// The answer of weir why, in words and as JSON.
#pragma once

#include <string>

#include "core/build/why.h"

namespace weir::cli {

std::string why_text(const BuildPlan& plan, const Why& why);
std::string why_json(const BuildPlan& plan, const Why& why);

}  // namespace weir::cli
