// What downloads leave: parts that were never finished, and files that were tracked and never fetched. Those
// that nobody has touched for a day go with `weir cache gc`; a download that is under way holds a lock on its
// part.
#pragma once

#include <string>

namespace weir::cli {

// How many files were removed.
std::size_t remove_old_downloads(const std::string& folder);

}  // namespace weir::cli
