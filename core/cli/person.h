// Whether there is a person, and what the terminal can do: decides on the display and on questions. Without a
// person nothing is ever asked.
#pragma once

#include "core/cli/session.h"
#include "core/project/settings.h"

namespace weir::cli {

// weir is in the foreground of the terminal that standard error is: what it draws in the background would be
// drawn over the shell's.
bool in_foreground();

// Standard input and standard error are a terminal, and weir is in its foreground.
bool person_is_there();

// Standard error is a terminal that can do more than print.
bool can_draw();

// Of what is written to standard error.
bool wants_color(const Settings& settings);

// The live display; else plain lines.
bool wants_display(const RunRequest& request, const Settings& settings);

}  // namespace weir::cli
