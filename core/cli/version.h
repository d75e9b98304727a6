#pragma once

#include <string_view>

namespace weir::cli {

std::string_view version();  // "1.2.3"

}  // namespace weir::cli
