#include "core/project/project_folder.h"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "core/base/beneath.h"
#include "core/base/real_path.h"
#include "core/project/element_files.h"

namespace weir {

namespace {

// What the kernel did not resolve: an absolute link, which may lead inside all the same, or a kernel without
// openat2.
bool is_unresolved() { return errno == EXDEV || errno == ENOSYS || errno == EPERM; }

}  // namespace

bool Outside::allows(std::string_view real) const {
  return everything || std::any_of(places.begin(), places.end(),
                                   [&](const std::string& place) { return is_inside(real, place); });
}

ProjectFolder::ProjectFolder(const std::string& root, Outside outside)
    : root_(root), outside_(std::move(outside)), fd_(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

// Where a path leads, if that is elsewhere: a link to nothing leads to what would be made there.
std::optional<std::string> ProjectFolder::outside(const std::string& path) const {
  const auto real = path_behind_links(root_ + "/" + path), root = real_path(root_);
  return real && root && !is_inside(*real, *root) ? real : std::nullopt;
}

ProjectFile ProjectFolder::read(const std::string& path) const {
  ProjectFile file;
  const auto full = root_ + "/" + path;
  const auto take = [&](Result<std::string> text) {
    if (text) file.text = std::move(*text);
    else file.why_not = std::move(text.error());
    return file;
  };
  if (outside_.everything) return take(read_file(full, &file.stamp));
  auto fd = open_beneath(fd_.get(), path, kReadFile);
  if (!fd && is_unresolved()) {
    if (auto real = outside(path); real && !outside_.allows(*real)) {
      file.leads_to = std::move(*real);
      return file;
    }
    if (const auto real = real_path(full)) fd = UniqueFd(open(real->c_str(), kReadFile | O_NOFOLLOW));
  }
  return take(read_opened(fd, &file.stamp));
}

std::string ProjectFolder::leads_to(const std::string& path) const {
  if (outside_.everything || open_beneath(fd_.get(), path, O_PATH) || !is_unresolved()) return {};
  auto real = outside(path);
  return real && !outside_.allows(*real) ? std::move(*real) : std::string();
}

}  // namespace weir
