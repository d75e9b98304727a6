#include "core/project/project_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include <memory>

#include "core/base/beneath.h"
#include "core/project/element_files.h"

namespace weir {

namespace {

// What the kernel did not resolve: an absolute link, which may lead inside all the same, or a kernel without
// openat2.
bool is_unresolved() { return errno == EXDEV || errno == ENOSYS || errno == EPERM; }

}  // namespace

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  return real ? std::optional<std::string>(real.get()) : std::nullopt;
}

ProjectFolder::ProjectFolder(const std::string& root, Outside outside)
    : root_(root), outside_(outside), fd_(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

ProjectFile ProjectFolder::read(const std::string& path) const {
  ProjectFile file;
  const auto full = root_ + "/" + path;
  const auto take = [&](Result<std::string> text) {
    if (text) file.text = std::move(*text);
    else file.why_not = std::move(text.error());
    return file;
  };
  if (outside_ == Outside::allowed) return take(read_file(full, &file.stamp));
  auto fd = open_beneath(fd_.get(), path, kReadFile);
  if (!fd && is_unresolved()) {
    const auto real = real_path(full), root = real_path(root_);
    if (real && root && !is_inside(*real, *root)) {
      file.leads_to = *real;
      return file;
    }
    if (real) fd = UniqueFd(open(real->c_str(), kReadFile | O_NOFOLLOW));
  }
  return take(read_opened(fd, &file.stamp));
}

std::string ProjectFolder::leads_to(const std::string& path) const {
  if (outside_ == Outside::allowed || open_beneath(fd_.get(), path, O_PATH) || !is_unresolved()) return {};
  const auto real = real_path(root_ + "/" + path), root = real_path(root_);
  return real && root && !is_inside(*real, *root) ? *real : std::string();
}

}  // namespace weir
