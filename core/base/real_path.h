// Paths without links, and what is below what.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir {

// Both absolute and without links: whether `path` is `folder` or below it.
bool is_inside(std::string_view path, std::string_view folder);
// Without links; nothing if it is not there.
std::optional<std::string> real_path(const std::string& path);
// The same for a path whose last part is a link to nothing: where a file would be made through it.
std::optional<std::string> path_behind_links(const std::string& path);

}  // namespace weir
