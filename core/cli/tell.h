// What went wrong, in words.
#pragma once

#include "core/base/result.h"
#include "core/project/diagnostic.h"

namespace weir::cli {

// On standard error; each returns the exit code that belongs to it.
int tell(const Error& error);
int tell(const Diagnostics& diagnostics, const SourceFiles& files);

// For those who are told elsewhere: a line per error with its place, and what to do about them.
Error to_error(const Diagnostics& diagnostics, const SourceFiles& files);

}  // namespace weir::cli
