// One line of a client becomes one call of the run, and what comes of it one line back.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/control/run_control.h"

namespace weir::control {

// Called once, now or later (a submission has to be planned), with a line without its end.
using Answered = std::function<void(std::string line)>;
void answer(std::string_view line, RunControl& run, Answered answered);

}  // namespace weir::control
