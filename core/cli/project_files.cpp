#include "core/cli/project_files.h"

#include <filesystem>

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

// `path` below `folder`; nothing if it is elsewhere, or the folder itself.
std::optional<fs::path> below(const fs::path& path, const fs::path& folder) {
  auto rest = path.lexically_relative(folder);
  if (rest.empty() || rest == "." || *rest.begin() == "..") return std::nullopt;
  return rest;
}

// Out-of-tree builds name sources from a folder of their own: "../src/a.c".
fs::path without_way_up(const fs::path& path) {
  fs::path rest;
  for (const auto& part : path.lexically_normal())
    if (part != "..") rest /= part;
  return rest;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Where a local source has this file of the build directory, relative to the project.
std::optional<fs::path> in_source(const Source& source, const fs::path& path) {
  const auto* from = source.config.find("path");
  if (source.kind.text != "local" || from == nullptr || from->value.text() == nullptr) return std::nullopt;
  const auto inside = source.directory.empty() ? std::optional(path)
                                               : below(path, fs::path(source.directory).lexically_normal());
  if (!inside) return std::nullopt;
  return fs::path(*from->value.text()) / *inside;
}

}  // namespace

ProjectFiles::ProjectFiles(const Project& project, std::string repository)
    : project_(project), base_(std::move(repository)) {
  const bool inside =
      !base_.empty() && (fs::path(project.root) == fs::path(base_) || below(project.root, base_));
  if (!inside) base_ = project.root;
}

std::optional<std::string> ProjectFiles::find(const std::string& element, const std::string& build,
                                              const std::string& path) const {
  const auto* own = project_.find(element);
  if (own == nullptr || path.find('\0') != path.npos) return std::nullopt;
  auto inside = fs::path(path).lexically_normal();
  if (inside.is_absolute()) {
    const auto built = below(inside, build);
    if (!built) return below(inside, project_.root) ? told(inside) : std::nullopt;
    inside = *built;
  }
  inside = without_way_up(inside);
  for (const auto& source : own->sources)
    if (const auto file = in_source(source, inside))
      if (auto found = told(fs::path(project_.root) / *file)) return found;
  return told(fs::path(project_.root) / inside);
}

std::optional<std::string> ProjectFiles::told(const std::string& path) const {
  if (!is_file(path)) return std::nullopt;
  const auto file = below(fs::path(path).lexically_normal(), base_);
  return file ? std::optional(file->string()) : std::nullopt;
}

}  // namespace weir::cli
