#include "core/cli/version.h"

namespace weir::cli {

std::string_view version() { return WEIR_VERSION; }

}  // namespace weir::cli
