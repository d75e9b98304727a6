#include "core/store/stager.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "core/base/beneath.h"
#include "core/base/interruption.h"
#include "core/base/owned_path.h"
#include "core/store/file_tools.h"
#include "core/store/stage_check.h"
#include "core/store/tree_reader.h"

namespace weir::store {

namespace {

// Of a task: many small files, or few large ones.
constexpr std::size_t kFilesPerStageTask = 64;
constexpr std::uint64_t kBytesPerStageTask = 4 << 20;
constexpr int kLinkAttempts = 20;

// The directories and symlinks of a tree; the files are work enough to be spread.
Status make_skeleton(int root, const std::vector<ExpandedDirectory>& directories) {
  for (const auto& directory : directories) {
    if (interrupted()) return fail_interrupted();
    if (directory.content->directories.empty() && directory.content->symlinks.empty()) continue;
    auto fd = open_directory(root, directory.path);
    if (!fd) return tl::unexpected(fd.error());
    for (const auto& child : directory.content->directories)
      if (::mkdirat(fd->get(), child.name.c_str(), 0755) != 0)
        return fail_file("staging " + child.name, errno);
    for (const auto& symlink : directory.content->symlinks)
      if (::symlinkat(symlink.target.c_str(), fd->get(), symlink.name.c_str()) != 0)
        return fail_file("staging " + symlink.name, errno);
  }
  return {};
}

// Children before parents is not needed: setting a time changes no parent.
Status fix_directory(int root, const ExpandedDirectory& directory, std::optional<mode_t> mode) {
  if (interrupted()) return fail_interrupted();
  auto fd = open_directory(root, directory.path);
  if (!fd) return tl::unexpected(fd.error());
  if (mode && ::fchmod(fd->get(), *mode) != 0) return fail_errno("staging " + directory.path);
  const timespec times[2] = {{kFixedMtime, 0}, {kFixedMtime, 0}};
  for (const auto& symlink : directory.content->symlinks)
    if (::utimensat(fd->get(), symlink.name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
      return fail_errno("staging " + symlink.name);
  if (const int error = set_fixed_mtime(fd->get())) return fail_errno("staging " + directory.path, error);
  return {};
}

struct FillTask {
  const ExpandedDirectory* directory;
  std::size_t begin, end;  // of its files
};

std::vector<FillTask> fill_tasks(const std::vector<ExpandedDirectory>& directories) {
  std::vector<FillTask> tasks;
  for (const auto& directory : directories) {
    const auto& files = directory.content->files;
    for (std::size_t begin = 0, end = 0; begin < files.size(); begin = end) {
      std::uint64_t bytes = 0;
      while (end < files.size() && end - begin < kFilesPerStageTask && bytes < kBytesPerStageTask)
        bytes += files[end++].digest.size;
      tasks.push_back({&directory, begin, end});
    }
  }
  return tasks;
}

}  // namespace

Stage& Stage::operator=(Stage&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(tree_, other.tree_);
  std::swap(root_, other.root_);
  std::swap(inode_, other.inode_);
  std::swap(remove_, other.remove_);
  std::swap(pin_, other.pin_);
  return *this;
}

Stage::~Stage() {
  // What cannot be removed now goes with the session.
  if (!remove_.empty()) (void)remove_tree(root_, remove_);
}

Result<Stage> Stager::stage(const Digest& tree, StageMode mode) {
  Stage stage;
  stage.tree_ = tree;
  stage.root_ = dir_.root();
  if (mode == StageMode::read_only) {
    auto name = publish_links(tree);
    if (!name) return tl::unexpected(name.error());
    stage.path_ = dir_.path() + "/" + *name;
    stage.inode_ = inode_of(*name);
    return stage;
  }
  stage.remove_ = dir_.temporary();
  stage.path_ = dir_.path() + "/" + stage.remove_;
  if (auto done = checkout(tree, stage.path_); !done) return tl::unexpected(done.error());
  return stage;
}

Result<std::string> Stager::publish_links(const Digest& tree) {
  auto parent = epoch_.stage_directory();
  auto name = parent + "/" + tree.hex();
  if (::faccessat(dir_.root(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    const auto whole = is_whole(name, tree);
    if (!whole) return tl::unexpected(whole.error());
    if (*whole) return name;
    // Another run may have it bound into a sandbox: it is left behind, not removed (gc does that).
    if (auto told = epoch_.object_was_damaged(); !told) return tl::unexpected(told.error());
    parent = epoch_.stage_directory();
    name = parent + "/" + tree.hex();
  }
  if (::mkdirat(dir_.root(), parent.c_str(), 0755) != 0 && errno != EEXIST)
    return fail_file("staging", errno);
  const auto temporary = dir_.temporary();
  if (::mkdirat(dir_.root(), temporary.c_str(), 0755) != 0) return fail_file("staging", errno);
  auto fd = open_directory(dir_.root(), temporary);
  auto filled = fd ? fill(tree, fd->get(), Fill::links) : Status(tl::unexpected(fd.error()));
  if (filled && ::renameat(dir_.root(), temporary.c_str(), dir_.root(), name.c_str()) == 0) {
    note_whole(name);
    return name;
  }
  const int error = errno;
  (void)remove_tree(dir_.root(), temporary);
  if (!filled) return tl::unexpected(filled.error());
  if (error == EEXIST || error == ENOTEMPTY) return name;  // another thread or process was faster
  return fail_file("staging " + tree.text(), error);
}

// Once per process: thousands of jobs may use one stage.
Result<bool> Stager::is_whole(const std::string& stage, const Digest& tree) {
  {
    const std::lock_guard lock(mutex_);
    if (whole_.count(stage)) return true;
  }
  auto whole = stage_is_whole(dir_, objects_, stage, tree, parallel_for_);
  if (whole && *whole) note_whole(stage);
  return whole;
}

Result<bool> Stager::is_still_whole(const Stage& stage) {
  const auto name = stage.path_.substr(dir_.path().size() + 1);
  if (inode_of(name) != stage.inode_) return false;
  auto whole = stage_is_whole(dir_, objects_, name, stage.tree_, parallel_for_);
  if (!whole || *whole) return whole;
  const std::lock_guard lock(mutex_);
  whole_.erase(name);
  return whole;
}

// Of the folder: another one of that name is not the one that a job has used.
std::pair<dev_t, ino_t> Stager::inode_of(const std::string& stage) const {
  struct stat info {};
  if (::fstatat(dir_.root(), stage.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return {info.st_dev, info.st_ino};
}

void Stager::note_whole(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  whole_.insert(stage);
}

Status Stager::checkout(const Digest& tree, const std::string& directory) {
  const auto place = resolve_path(directory, Way::any_owner);
  if (!place) return tl::unexpected(place.error());
  UniqueFd made;
  if (!place->found) made = make_directory_beneath(place->parent.get(), place->missing, 0777, Links::none);
  if (!place->found && !made) return fail_file("creating " + directory, errno);
  const UniqueFd fd(::openat((made ? made : place->found).get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail_errno("opening " + directory);
  auto entries = list_directory(fd.get());
  if (!entries) return tl::unexpected(entries.error());
  if (!entries->empty())
    return fail(Reason::usage, "checking out into " + directory + ": it is not empty",
                "name an empty directory");
  return fill(tree, fd.get(), Fill::copies);
}

Status Stager::fill(const Digest& tree, int directory, Fill how) {
  auto expanded = expand_tree(objects_, tree, parallel_for_);
  if (!expanded) return tl::unexpected(expanded.error());
  if (auto made = make_skeleton(directory, *expanded); !made) return made;
  const auto tasks = fill_tasks(*expanded);
  auto filled = for_each_index(parallel_for_, tasks.size(), [&](std::size_t i) -> Status {
    const auto& task = tasks[i];
    auto fd = open_directory(directory, task.directory->path);
    if (!fd) return tl::unexpected(fd.error());
    const auto* files = task.directory->content->files.data();
    return fill_files(fd->get(), files + task.begin, files + task.end, how);
  });
  if (!filled) return filled;
  // Whatever the umask is. Who checks out has a umask on purpose.
  const auto mode = how == Fill::links ? std::optional(kStagedDirectoryMode) : std::nullopt;
  return for_each_index(parallel_for_, expanded->size(),
                        [&](std::size_t i) { return fix_directory(directory, (*expanded)[i], mode); });
}

Status Stager::fill_files(int directory, const FileNode* begin, const FileNode* end, Fill how) {
  for (const auto* file = begin; file != end; ++file) {
    if (interrupted()) return fail_interrupted();
    auto done = how == Fill::links ? link_file(directory, *file)
                                   : copy_file(directory, *file, file->executable ? 0755 : 0644);
    if (!done) return done;
  }
  return {};
}

Status Stager::link_file(int directory, const FileNode& file) {
  const auto object = ObjectFiles::name_of(file.digest.hash, file.executable);
  int error = ENOENT;
  const auto turn = objects_.verified().turn(file.digest.hash);
  // Whoever provides the same object at the same time puts it in the place of this one; a link to an inode
  // that has just lost its last name is refused, although the name is there all the while.
  for (int attempt = 0; error == ENOENT && attempt < kLinkAttempts; ++attempt) {
    if (auto there = objects_.provide(file.digest, file.executable); !there) return there;
    error = dir_.files().link(dir_.root(), object.c_str(), directory, file.name.c_str());
  }
  if (error == 0) {
    struct stat info {};
    if (::fstatat(directory, file.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
      objects_.verified().add_linked(info, file.digest.hash);
    return {};
  }
  // ext4 has at most 65,000 names per inode, and an empty file is soon there.
  if (error == EMLINK) return copy_file(directory, file, file.executable ? kExecutableMode : kPlainMode);
  return fail_file("staging " + file.name, error);
}

Status Stager::copy_file(int directory, const FileNode& file, mode_t mode) {
  const UniqueFd to(::openat(directory, file.name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!to) return fail_file("staging " + file.name, errno);
  if (auto copied = objects_.copy(file.digest, to.get()); !copied) {
    ::unlinkat(directory, file.name.c_str(), 0);
    return copied;
  }
  int error = ::fchmod(to.get(), mode) == 0 ? 0 : errno;
  if (!error) error = set_fixed_mtime(to.get());
  return error ? Status(fail_file("staging " + file.name, error)) : Status{};
}

}  // namespace weir::store
