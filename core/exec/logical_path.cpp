#include "core/exec/logical_path.h"

#include <fmt/format.h>

#include <array>

namespace weir {

Result<SplitPath> split_logical_path(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kRoots{"build", "install", "source", "project", "cache"};
  const auto refuse = [&](std::string_view why) {
    return fail(Reason::project, fmt::format("the path '{}' {}", path, why),
                "paths of a step begin with build, install, source, project or cache and stay inside it");
  };
  if (path.find('\0') != path.npos) return refuse("holds a NUL byte");
  const auto slash = path.find('/');
  SplitPath result{path.substr(0, slash), slash == path.npos ? std::string_view{} : path.substr(slash + 1)};
  if (std::find(kRoots.begin(), kRoots.end(), result.root) == kRoots.end())
    return refuse("has no known root");
  while (!result.rest.empty() && result.rest.back() == '/') result.rest.remove_suffix(1);
  for (auto rest = result.rest; !rest.empty();) {
    const auto end = std::min(rest.find('/'), rest.size());
    const auto part = rest.substr(0, end);
    if (part.empty()) return refuse("holds an empty part");
    if (part == "..") return refuse("leads out of its root");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

}  // namespace weir
