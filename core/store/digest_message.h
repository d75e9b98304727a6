// A `Digest` message of the Remote Execution API.
#pragma once

#include <string>
#include <string_view>

#include "core/store/digest.h"

namespace weir::store {

std::string encode_digest(const Digest& digest);
// False: no digest. Fields that are not known are skipped.
bool read_digest(std::string_view bytes, Digest& digest);

}  // namespace weir::store
