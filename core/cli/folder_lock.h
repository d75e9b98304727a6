// A folder that is in use is locked by those who use it; the kernel frees the lock when they are gone,
// however they went. Who finds it free may remove what is in it, while holding the lock.
#pragma once

#include <string>

#include "core/base/fd.h"

namespace weir::cli {

// Empty if others have it, or if it is not there or a link. Never waits.
UniqueFd lock_folder(const std::string& path);
UniqueFd lock_folder(int parent, const std::string& name);
// For several at a time.
UniqueFd share_folder(const std::string& path);

}  // namespace weir::cli
