#include "core/base/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/beneath.h"
#include "core/base/fd.h"

namespace weir {

namespace {

constexpr int kFolder = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kMostOpen =
    32;  // folders of the way down that stay open; more are opened again by ".."
constexpr mode_t kUsable = 0700;

// The names in a folder: folders apart from all else. Unknown types are taken for files; EISDIR tells.
struct Names {
  std::vector<std::string> folders, files;
};
bool read_names(int folder, Names& names) {
  alignas(dirent64) char buffer[32 << 10];
  for (;;) {
    const auto got = ::getdents64(folder, buffer, sizeof buffer);
    if (got < 0) return false;
    if (got == 0) return true;
    for (std::ptrdiff_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      (entry->d_type == DT_DIR ? names.folders : names.files).emplace_back(name);
    }
  }
}

// A folder that its owner may not read or change. By descriptor: a link in its place is not touched.
UniqueFd open_locked(int parent, const char* name) {
  const UniqueFd found(::openat(parent, name, O_PATH | kFolder));
  if (!found) return {};
  const auto itself = fmt::format("/proc/self/fd/{}", found.get());
  if (::chmod(itself.c_str(), kUsable) != 0) {
    errno = EACCES;  // without /proc too: the folder is there
    return {};
  }
  return UniqueFd(::openat(found.get(), ".", O_RDONLY | kFolder));
}

class Removal {
 public:
  // `name` in the folder `parent` is one part.
  Status run(int parent, const std::string& name) {
    if (auto entered = enter(parent, name); !entered) return tl::unexpected(entered.error());
    while (!open_.empty())
      if (auto done = step(parent); !done) return done;
    return {};
  }

 private:
  struct Folder {
    UniqueFd fd;  // empty: too many were open
    std::string name;
    std::vector<std::string> folders;  // below it, still to be removed
    dev_t device = 0;
    ino_t inode = 0;
  };

  tl::unexpected<Error> failed(const std::string& name, int error = errno) const {
    std::string path;
    for (const auto& folder : open_) path += folder.name + "/";
    return fail_errno("removing " + path + name, error);
  }

  // Removes it if it is no folder, else goes into it and removes its files.
  Status enter(int parent, const std::string& name) {
    UniqueFd fd(::openat(parent, name.c_str(), O_RDONLY | kFolder));
    if (!fd && errno == EACCES) fd = open_locked(parent, name.c_str());
    if (!fd && errno == ENOENT) return {};
    if (!fd && (errno == ENOTDIR || errno == ELOOP)) {
      if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
      return failed(name);
    }
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0) return failed(name);
    if ((info.st_mode & kUsable) != kUsable) ::fchmod(fd.get(), kUsable);
    Names names;
    if (!read_names(fd.get(), names)) return failed(name);
    open_.push_back({std::move(fd), name, std::move(names.folders), info.st_dev, info.st_ino});
    if (open_.size() > kMostOpen) open_[open_.size() - kMostOpen - 1].fd.reset();
    return remove_files(names.files);
  }

  Status remove_files(const std::vector<std::string>& files) {
    auto& here = open_.back();
    for (const auto& file : files) {
      if (::unlinkat(here.fd.get(), file.c_str(), 0) == 0 || errno == ENOENT) continue;
      if (errno != EISDIR) return failed(file);
      here.folders.push_back(file);
    }
    return {};
  }

  Status step(int outermost) {
    auto& here = open_.back();
    if (here.folders.empty()) return leave(outermost);
    const auto next = std::move(here.folders.back());
    here.folders.pop_back();
    return enter(here.fd.get(), next);
  }

  // Up, and removes what is empty now.
  Status leave(int outermost) {
    const auto done = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty() && !open_.back().fd)
      if (auto again = open_again(done); !again) return again;
    const int parent = open_.empty() ? outermost : open_.back().fd.get();
    if (::unlinkat(parent, done.name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    // It was exchanged for something else: that goes with the next attempt.
    return failed(done.name);
  }

  // ".." of a folder that somebody moved leads elsewhere.
  Status open_again(const Folder& below) {
    auto& here = open_.back();
    UniqueFd up(::openat(below.fd.get(), "..", O_RDONLY | kFolder));
    struct stat info {};
    if (!up || ::fstat(up.get(), &info) != 0) return failed(below.name);
    if (info.st_dev != here.device || info.st_ino != here.inode) return failed(below.name, ESTALE);
    here.fd = std::move(up);
    return {};
  }

  std::vector<Folder> open_;  // the way down
};

// The folder that holds the last part of a name.
UniqueFd open_parent(int directory, std::string_view parent) {
  if (directory == AT_FDCWD)
    return UniqueFd(
        ::open(parent.empty() ? "/" : std::string(parent).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  UniqueFd at;
  while (!parent.empty()) {
    const auto end = std::min(parent.find('/'), parent.size());
    const std::string part(parent.substr(0, end));
    parent.remove_prefix(std::min(end + 1, parent.size()));
    if (part.empty() || part == ".") continue;
    UniqueFd next(::openat(at ? at.get() : directory, part.c_str(), O_PATH | kFolder));
    if (!next) return {};
    at = std::move(next);
  }
  return at;
}

}  // namespace

Status remove_tree(int directory, const std::string& name) {
  const auto slash = name.rfind('/');
  if (slash == name.npos) return Removal().run(directory, name);
  const auto parent = open_parent(directory, std::string_view(name).substr(0, slash));
  if (!parent && errno == ENOENT) return {};
  if (!parent) return fail_errno("removing " + name);
  return Removal().run(parent.get(), name.substr(slash + 1));
}

}  // namespace weir
