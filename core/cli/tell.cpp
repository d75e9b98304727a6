#include "core/cli/tell.h"

#include <fmt/format.h>

#include "core/base/print.h"
#include "core/cli/exit_codes.h"
#include "core/project/diagnostic_text.h"

namespace weir::cli {

int tell(const Error& error) {
  weir::print(stderr, "weir: {}\n", error.message);
  if (!error.remedy.empty()) weir::print(stderr, "  {}\n", error.remedy);
  return exit_code_of(error);
}

int tell(const Diagnostics& diagnostics, const SourceFiles& files) {
  weir::print(stderr, "{}", to_text(diagnostics, files));
  return kUsage;
}

}  // namespace weir::cli
