// The folders of the cache on a machine with other users: whether weir may believe them.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/project/settings.h"

namespace weir {

// The cache, the way to it and the folders directly in it that are there belong to the effective user or to
// root and are writable by no one else; links on the way are theirs too. With cache.shared only links are
// checked. A few system calls, for every command that reads settings. Whether the cache is there.
Result<bool> check_cache_folder(const Settings& settings);

// Makes the cache where it is missing, for this user alone unless it is shared.
Status make_cache_folder(const Settings& settings);

}  // namespace weir
