// Paths beneath a directory, resolved by the kernel (openat2 RESOLVE_BENEATH): neither ".." nor a link that
// somebody left there leads out of it. Results without a descriptor leave errno as the kernel set it; EXDEV
// is "leads out", ELOOP with Links::none is "passes through a link". Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "core/base/fd.h"

namespace weir {

// Links on the way: followed while they stay beneath the directory, or not followed at all.
enum class Links : unsigned char { inside, none };

UniqueFd open_beneath(int root, const std::string& path, int flags, mode_t mode = 0,
                      Links links = Links::inside);

// The same with Links::none where the kernel has no openat2; there is nothing it could do for Links::inside.
UniqueFd open_beneath_by_parts(int root, std::string_view path, int flags, mode_t mode = 0);

// The directory at `path` (empty or ".": the root itself), made part by part where it is missing. Opened with
// O_PATH.
UniqueFd make_directory_beneath(int root, std::string_view path, mode_t mode, Links links = Links::inside);

struct ParentAndName {
  std::string_view parent;  // may be empty
  std::string_view name;
};
ParentAndName split_last(std::string_view path);

}  // namespace weir
