#include "core/exec/file_steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstring>

#include "core/base/beneath.h"
#include "core/base/fd.h"
#include "core/exec/logical_path.h"

namespace weir {
namespace {

using Opened = tl::expected<UniqueFd, StepError>;

tl::unexpected<StepError> system_error(std::string_view doing, std::string_view path) {
  const auto failure =
      errno == ENOENT || errno == ENOTDIR || errno == EXDEV ? Failure::source : Failure::infra;
  return tl::unexpected<StepError>(
      StepError{failure, fmt::format("{} '{}': {}", doing, path, std::strerror(errno))});
}

struct Place {
  UniqueFd root;
  std::string path;  // relative to it, at least "."
};

tl::expected<Place, StepError> locate(const LogicalPath& path, const StepContext& context) {
  const auto split = split_logical_path(path);
  if (!split) return tl::unexpected<StepError>(StepError{Failure::infra, split.error().message});
  const auto directory = context.root(split->root);
  if (directory.empty())
    return tl::unexpected<StepError>(
        StepError{Failure::infra, fmt::format("the job has no directory for '{}'", path)});
  Place place{UniqueFd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
              std::string(split->rest.empty() ? std::string_view(".") : split->rest)};
  if (!place.root) return system_error("opening", directory);
  return place;
}

// The directory of `path` beneath the root, made as needed; afterwards `path` is its last part.
Opened open_parent(Place& place, const LogicalPath& shown) {
  const auto [folder, name] = split_last(place.path);
  auto parent = make_directory_beneath(place.root.get(), folder, 0777);
  if (!parent) return system_error("opening", shown);
  place.path = std::string(name);
  return parent;
}

// A new file in place of whatever stood there: writing through an old link or an old hardlink would change
// that.
UniqueFd create_file(int directory, const char* name, mode_t mode) {
  ::unlinkat(directory, name, 0);
  return UniqueFd(::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
}

class TreeCopy {
 public:
  explicit TreeCopy(const std::atomic<bool>* cancelled) : cancelled_(cancelled) {}

  StepStatus copy(int from, const char* name, int to, const char* target) {
    if (cancelled_ && *cancelled_) return {};
    struct stat info;
    if (::fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return system_error("reading", name);
    if (S_ISLNK(info.st_mode)) return copy_link(from, name, to, target);
    if (S_ISDIR(info.st_mode)) return copy_directory(from, name, to, target);
    if (S_ISREG(info.st_mode)) return copy_file(from, name, to, target, info.st_mode);
    return {};  // sockets, pipes and devices are no sources
  }

 private:
  StepStatus copy_link(int from, const char* name, int to, const char* target) {
    char link[4096];
    const auto size = ::readlinkat(from, name, link, sizeof link - 1);
    if (size < 0) return system_error("reading the link", name);
    link[size] = 0;
    ::unlinkat(to, target, 0);
    if (::symlinkat(link, to, target) != 0) return system_error("making the link", target);
    return {};
  }

  StepStatus copy_file(int from, const char* name, int to, const char* target, mode_t mode) {
    const UniqueFd source(::openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!source) return system_error("reading", name);
    const auto copy = create_file(to, target, mode & 0777);
    if (!copy) return system_error("writing", target);
    for (;;) {
      auto moved = ::copy_file_range(source.get(), nullptr, copy.get(), nullptr, 1 << 24, 0);
      if (moved < 0 && errno != EINTR) moved = copy_bytes(source.get(), copy.get());
      if (moved == 0) return {};
      if (moved < 0 && errno != EINTR) return system_error("copying", name);
    }
  }

  // Where the file systems do not agree on copy_file_range.
  ssize_t copy_bytes(int from, int to) {
    buffer_.resize(1 << 16);
    const auto got = ::read(from, buffer_.data(), buffer_.size());
    if (got > 0 && !write_all(to, std::string_view(buffer_.data(), static_cast<std::size_t>(got)))) return -1;
    return got;
  }

  StepStatus copy_directory(int from, const char* name, int to, const char* target) {
    UniqueFd source(::openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!source) return system_error("reading", name);
    if (::mkdirat(to, target, 0777) != 0 && errno != EEXIST) return system_error("making", target);
    const UniqueFd copy(::openat(to, target, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!copy) return system_error("opening", target);
    const int source_fd = source.get();
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(source.release()), ::closedir);
    if (!entries) return system_error("reading", name);
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(entries.get());
      if (!entry) return errno == 0 ? StepStatus() : system_error("reading", name);
      const std::string_view child = entry->d_name;
      if (child == "." || child == "..") continue;
      if (auto status = this->copy(source_fd, entry->d_name, copy.get(), entry->d_name); !status)
        return status;
    }
  }

  const std::atomic<bool>* cancelled_;
  std::string buffer_;
};

}  // namespace

StepStatus run_copy_step(const Step& step, const StepContext& context) {
  const auto& copy = std::get<CopyStep>(step);
  auto from = locate(copy.from, context);
  if (!from) return tl::unexpected(from.error());
  auto to = locate(copy.to, context);
  if (!to) return tl::unexpected(to.error());
  const auto source = open_beneath(from->root.get(), from->path, O_PATH);
  if (!source) return system_error("reading", copy.from);
  const auto target = open_parent(*to, copy.to);
  if (!target) return tl::unexpected(target.error());
  struct stat info;
  if (::fstat(source.get(), &info) != 0) return system_error("reading", copy.from);
  TreeCopy tree(context.cancelled);
  if (S_ISDIR(info.st_mode)) return tree.copy(source.get(), ".", target->get(), to->path.c_str());
  const auto [folder, last] = split_last(from->path);
  const std::string name(last);
  const auto directory =
      open_beneath(from->root.get(), folder.empty() ? "." : std::string(folder), O_PATH | O_DIRECTORY);
  if (!directory) return system_error("reading", copy.from);
  return tree.copy(directory.get(), name.c_str(), target->get(), to->path.c_str());
}

StepStatus run_write_step(const Step& step, const StepContext& context) {
  const auto& write = std::get<WriteStep>(step);
  auto to = locate(write.to, context);
  if (!to) return tl::unexpected(to.error());
  const auto parent = open_parent(*to, write.to);
  if (!parent) return tl::unexpected(parent.error());
  const auto file = create_file(parent->get(), to->path.c_str(), write.executable ? 0777 : 0666);
  if (!file || !write_all(file.get(), write.content)) return system_error("writing", write.to);
  return {};
}

}  // namespace weir
