// What went wrong, in words on standard error; each returns the exit code that belongs to it.
#pragma once

#include "core/base/result.h"
#include "core/project/diagnostic.h"

namespace weir::cli {

int tell(const Error& error);
int tell(const Diagnostics& diagnostics, const SourceFiles& files);

}  // namespace weir::cli
