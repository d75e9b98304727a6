#include "core/base/real_path.h"

#include <errno.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <system_error>

namespace weir {

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  return real ? std::optional<std::string>(real.get()) : std::nullopt;
}

std::optional<std::string> path_behind_links(const std::string& path) {
  constexpr int kLinks = 40;  // as the kernel
  std::filesystem::path at(path);
  for (int links = 0; links <= kLinks; ++links) {
    if (auto real = real_path(at.string())) return real;
    if (errno != ENOENT) return std::nullopt;
    std::error_code error;
    const auto target = std::filesystem::read_symlink(at, error);
    const auto folder = real_path(at.has_parent_path() ? at.parent_path().string() : ".");
    if (error)
      return folder ? std::optional((std::filesystem::path(*folder) / at.filename()).string()) : std::nullopt;
    if (target.is_absolute()) at = target;
    else if (folder) at = std::filesystem::path(*folder) / target;
    else return std::nullopt;
    // Folders on the way that are missing hold no links.
    if (!real_path(at.parent_path().string())) return at.lexically_normal().string();
  }
  return std::nullopt;
}

}  // namespace weir
