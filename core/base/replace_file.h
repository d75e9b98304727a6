// Files that are there as a whole or as they were before, whenever somebody looks and whatever happens
// meanwhile.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/owned_path.h"
#include "core/base/result.h"

namespace weir {

// Writes beside it and renames, durably. A link stays a link: the file that it points to is replaced, unless
// the link, or one on the way, belongs to another user (owned_path.h): that is an error of Reason::usage.
Status replace_file(const std::string& path, std::string_view text);
// For what is too large to be put together first: `write` gets a descriptor to write to.
Status replace_file(const std::string& path, const std::function<Status(int fd)>& write);
// For an output that the user names: a device or a pipe is written to instead.
Status write_output_file(const std::string& path, const std::function<Status(int fd)>& write);

}  // namespace weir
