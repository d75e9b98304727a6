// Where a source comes from, as a job can use it: with a scheme, in ssh's short form "host:path", or an
// absolute path. A path in a project file is relative to the project.
#pragma once

#include <string>
#include <string_view>

namespace weir {

std::string absolute_url(std::string_view url, const std::string& project_root);

// The path of an absolute URL that is a file of this machine; empty for all others.
std::string local_path(std::string_view url);

}  // namespace weir
