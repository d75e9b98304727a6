// Writes several files of a folder, all or none of them. Nothing that is there is touched: each is made with
// O_EXCL, and if one cannot be made, those before it and the folders that were made for them are removed
// again.
#pragma once

#include <span>
#include <string>

#include "core/base/result.h"

namespace weir::cli {

struct NewFile {
  std::string path;  // below the folder
  std::string text;
};

// In the order given, so that the last one says that all are there. Makes the folder and those between. What
// is in the way is Reason::usage and named.
Status write_new_files(const std::string& folder, std::span<const NewFile> files);

}  // namespace weir::cli
