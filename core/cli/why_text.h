// The answer of weir why, in words and as JSON.
#pragma once

#include <string>

#include "core/build/why.h"

namespace weir::cli {

// "file src/a.c: changed from 1234 to 5678"
std::string cause_line(const Difference& cause);
std::string why_text(const BuildPlan& plan, const Explanation& why);
std::string why_json(const BuildPlan& plan, const Explanation& why);

}  // namespace weir::cli
