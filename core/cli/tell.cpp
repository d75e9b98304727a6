#include "core/cli/tell.h"

#include <fmt/format.h>

#include "core/cli/exit_codes.h"
#include "core/project/diagnostic_text.h"

namespace weir::cli {

int tell(const Error& error) {
  fmt::print(stderr, "weir: {}\n", error.message);
  if (!error.remedy.empty()) fmt::print(stderr, "  {}\n", error.remedy);
  return exit_code_of(error);
}

int tell(const Diagnostics& diagnostics, const SourceFiles& files) {
  fmt::print(stderr, "{}", to_text(diagnostics, files));
  return kUsage;
}

}  // namespace weir::cli
