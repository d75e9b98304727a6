// Where the content-addressed store lies: the one rule that build and cache share.
#pragma once

#include <string>

#include "core/project/settings.h"

namespace weir::cli {

inline std::string store_folder(const Settings& settings) { return settings.cache_dir.value + "/store"; }

// What source kinds keep between runs (mirrors, downloads).
inline std::string source_cache(const Settings& settings) { return settings.cache_dir.value + "/sources"; }

}  // namespace weir::cli
