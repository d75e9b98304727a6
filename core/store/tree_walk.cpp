#include "core/store/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "core/base/interruption.h"
#include "core/store/file_tools.h"
#include "core/store/tree_limits.h"

namespace weir::store {

namespace {

const char* kind_of(mode_t mode) {
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device node";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISFIFO(mode)) return "a fifo";
  return "of an unknown type";
}

Result<std::string> read_link(int directory, const std::string& name, std::size_t size) {
  std::string target(std::max<std::size_t>(size, 255) + 1, '\0');
  for (;;) {
    const auto got = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    if (got < 0) return fail_errno("reading the symlink " + name);
    if (static_cast<std::size_t>(got) < target.size()) {
      target.resize(static_cast<std::size_t>(got));
      return target;
    }
    target.resize(target.size() * 2);
  }
}

// The store may take the inode itself only if nobody else can reach or change it afterwards: a second name
// could be written to later, another owner could not be changed to the store's mode, and attributes hold
// capabilities and ACLs.
bool is_movable(int directory, const std::string& name, const struct stat& info) {
  if (info.st_nlink != 1 || info.st_uid != ::geteuid()) return false;
  const auto path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  char names[256];
  const auto size = ::llistxattr(path.c_str(), names, sizeof names);
  const std::string_view label("security.selinux",
                               sizeof "security.selinux");  // every file has it where SELinux is on
  return size == 0 || (size > 0 && std::string_view(names, static_cast<std::size_t>(size)) == label);
}

class Lister {
 public:
  Lister(int root, const WalkOptions& options) : root_(root), options_(options) {}

  Status list(WalkedDirectory& directory) const {
    auto fd = open(directory.path);
    if (!fd) return tl::unexpected(fd.error());
    struct stat info {};
    if (::fstat(fd->get(), &info) == 0) directory.stamp = weir::stamp_of(info);
    auto entries = list_directory(fd->get());
    if (!entries) return tl::unexpected(entries.error());
    std::sort(entries->begin(), entries->end(), [](auto& a, auto& b) { return a.name < b.name; });
    for (auto& entry : *entries) {
      if (interrupted()) return fail_interrupted();
      if (options_.exclude && options_.exclude(join(directory.path, entry.name))) continue;
      if (auto added = add(directory, fd->get(), std::move(entry.name)); !added) return added;
    }
    return {};
  }

 private:
  Result<UniqueFd> open(const std::string& path) const {
    auto fd = open_directory(root_, path);
    if (fd || !options_.ours) return fd;
    ::fchmodat(root_, path.empty() ? "." : path.c_str(), 0700, 0);
    return open_directory(root_, path);
  }

  Status add(WalkedDirectory& directory, int fd, std::string name) const {
    struct stat info {};
    const auto path = join(directory.path, name);
    if (::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return fail_errno("looking at " + path);
    if (S_ISDIR(info.st_mode)) {
      if (info.st_mode & S_ISVTX) directory.special_modes.push_back(name);
      directory.children.push_back(std::move(name));
    } else if (S_ISLNK(info.st_mode)) {
      auto target = read_link(fd, name, static_cast<std::size_t>(info.st_size));
      if (!target) return tl::unexpected(target.error());
      directory.symlinks.push_back({std::move(name), std::move(*target)});
    } else if (S_ISREG(info.st_mode)) {
      if (info.st_mode & (S_ISUID | S_ISGID | S_ISVTX)) directory.special_modes.push_back(name);
      const bool movable = options_.ours && is_movable(fd, name, info);
      directory.files.push_back({std::move(name), file_stat(info), {}, false, movable});
    } else {
      return fail(Reason::project, path + " is " + kind_of(info.st_mode) + ", which the store does not keep",
                  "leave it out");
    }
    return {};
  }

  int root_;
  const WalkOptions& options_;
};

// What directories [begin, end) hold.
void add_sizes(Walk& walk, std::size_t begin, std::size_t end) {
  auto& size = walk.size;
  bool deeper = false;
  for (std::size_t i = begin; i < end; ++i) {
    const auto& directory = walk.directories[i];
    walk.files += directory.files.size();
    walk.symlinks += directory.symlinks.size();
    size.entries += directory.files.size() + directory.symlinks.size() + directory.children.size();
    for (const auto& file : directory.files) add_size(size.bytes, file.stat.size);
    const auto prefix = directory.path.empty() ? 0 : directory.path.size() + 1;
    for (const auto& name : directory.children) add_size(size.path_bytes, prefix + name.size() + 1);
    size.directories += directory.children.size();
    deeper |= !directory.children.empty();
  }
  size.levels += deeper ? 1 : 0;
}

// The next level: the children of directories [begin, end).
void append_children(Walk& walk, std::size_t begin, std::size_t end) {
  std::vector<WalkedDirectory> next;
  for (std::size_t i = begin; i < end; ++i) {
    for (auto& name : walk.directories[i].children)
      next.push_back(
          {join(walk.directories[i].path, name), name, static_cast<std::uint32_t>(i), {}, {}, {}, {}, {}});
  }
  walk.directories.insert(walk.directories.end(), std::make_move_iterator(next.begin()),
                          std::make_move_iterator(next.end()));
}

// What every tree of the store has to keep (tree_limits.h), before a file is read and before there is memory
// for the next level.
Status check_size(const Walk& walk) {
  const auto fits = check_tree_size(walk.size, Reason::project);
  if (fits) return {};
  return fail(Reason::project, "the folder is refused: " + fits.error().message,
              "leave out what does not belong to the source or the artifact");
}

}  // namespace

std::string join(std::string_view directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  std::string path;
  path.reserve(directory.size() + 1 + name.size());
  return path.append(directory).append("/").append(name);
}

Result<Walk> walk(int root, const WalkOptions& options, const ParallelFor& parallel_for) {
  Walk walk;
  walk.directories.emplace_back();
  walk.levels.push_back(0);
  const Lister lister(root, options);
  for (std::size_t begin = 0; begin < walk.directories.size();) {
    const auto end = walk.directories.size();
    auto listed = for_each_index(parallel_for, end - begin,
                                 [&](std::size_t i) { return lister.list(walk.directories[begin + i]); });
    if (!listed) return tl::unexpected(listed.error());
    add_sizes(walk, begin, end);
    if (auto fits = check_size(walk); !fits) return tl::unexpected(fits.error());
    append_children(walk, begin, end);
    walk.levels.push_back(end);
    begin = end;
  }
  return walk;
}

}  // namespace weir::store
