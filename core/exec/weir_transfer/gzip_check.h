// Whether a gzip file is whole: libarchive looks neither at the checksums nor at what is behind the end of
// the archive. All other compressions and formats are checked by libarchive itself.
#pragma once

#include <string_view>

#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

// Reads all of the file if it is one; any other is good.
Done check_gzip(int file, std::string_view shown);

}  // namespace weir::transfer
