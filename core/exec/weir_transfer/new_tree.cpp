#include "core/exec/weir_transfer/new_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>

#include "core/base/beneath.h"

namespace weir::transfer {
namespace {

std::string last(NewTree::Path path) { return std::string(path.back()); }

bool is_directory(int parent, const std::string& name) {
  struct stat info {};
  return ::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

tl::unexpected<Trouble> refuse_entry(std::string_view name, std::string_view why) {
  return trouble(TransferExit::source,
                 fmt::format("the archive is refused: its entry '{}' {}", shown(name), why));
}

tl::unexpected<Trouble> NewTree::cannot_make(std::string_view name) const {
  switch (errno) {
    case EEXIST: return refuse_entry(name, "comes twice");
    case ELOOP:
    case EXDEV: return refuse_entry(name, "passes through a symlink");
    case ENOTDIR: return refuse_entry(name, "lies in something that is no folder");
    case EMLINK: return refuse_entry(name, "is one name too many for its file");
    default: return system_trouble("unpacking", name);
  }
}

UniqueFd NewTree::open_parent(const std::string& parent) {
  auto found = open_beneath(root_.get(), parent.empty() ? "." : parent, O_PATH | O_DIRECTORY, 0, Links::none);
  if (found || errno != ENOENT) return found;
  return make_directory_beneath(root_.get(), parent, 0755, Links::none);
}

Expected<int> NewTree::parent_of(Path path, std::string_view name) {
  auto parent = join(path.first(path.size() - 1));
  if (!last_parent_fd_ || parent != last_parent_) {
    last_parent_fd_ = open_parent(parent);
    last_parent_ = std::move(parent);
  }
  if (!last_parent_fd_) return cannot_make(name);
  return last_parent_fd_.get();
}

Done NewTree::add_directory(Path path, std::string_view name) {
  const auto parent = parent_of(path, name);
  if (!parent) return tl::unexpected(parent.error());
  if (::mkdirat(*parent, last(path).c_str(), 0755) == 0) return {};
  // Many archives name a folder again, or after what is in it.
  if (errno == EEXIST && is_directory(*parent, last(path))) return {};
  return cannot_make(name);
}

Expected<UniqueFd> NewTree::add_file(Path path, std::string_view name, bool executable) {
  const auto parent = parent_of(path, name);
  if (!parent) return tl::unexpected(parent.error());
  UniqueFd file(::openat(*parent, last(path).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         executable ? 0755 : 0644));
  if (!file) return cannot_make(name);
  return file;
}

Done NewTree::add_symlink(Path path, std::string_view name, const std::string& target) {
  if (auto checked = check_link_target(target, path.size() - 1); !checked)
    return refuse_entry(name, shown(checked.error()));
  const auto parent = parent_of(path, name);
  if (!parent) return tl::unexpected(parent.error());
  if (::symlinkat(target.c_str(), *parent, last(path).c_str()) != 0) return cannot_make(name);
  links_.push_back(join(path));
  return {};
}

Expected<UniqueFd> NewTree::add_hardlink(Path path, std::string_view name, Path target) {
  auto file = open_beneath(root_.get(), join(target), O_WRONLY | O_NONBLOCK, 0, Links::none);
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return refuse_entry(name, fmt::format("is a hardlink to '{}', which is no file that came before it",
                                          shown(join(target))));
  const auto folder =
      open_beneath(root_.get(), target.size() == 1 ? "." : join(target.first(target.size() - 1)),
                   O_PATH | O_DIRECTORY, 0, Links::none);
  const auto parent = parent_of(path, name);
  if (!parent) return tl::unexpected(parent.error());
  if (!folder || ::linkat(folder.get(), last(target).c_str(), *parent, last(path).c_str(), 0) != 0)
    return cannot_make(name);
  return file;
}

Done NewTree::check_links() const {
  for (const auto& link : links_)
    if (!open_beneath(root_.get(), link, O_PATH) && errno == EXDEV)
      return refuse_entry(link, "is a link that leads out of the archive by way of other links");
  return {};
}

void remove_tree(int directory, const char* name) {
  if (::unlinkat(directory, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
  UniqueFd folder(::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return;
  const int fd = folder.get();
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.release()), ::closedir);
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string_view child = entry->d_name;
    if (child != "." && child != "..") remove_tree(fd, entry->d_name);
  }
  ::unlinkat(directory, name, AT_REMOVEDIR);
}

}  // namespace weir::transfer
