#include "core/base/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/abandoned_files.h"
#include "core/base/fd.h"

namespace weir {

namespace {

// For people: the file, of which the folder is known.
std::string shown_path(const ResolvedPath& place) {
  if (place.found || place.path.empty()) return place.path.empty() ? place.name : place.path;
  return place.path + (place.path.ends_with('/') ? "" : "/") + place.name;
}

Status write_durably(const ResolvedPath& place, const std::string& name,
                     const std::function<Status(int)>& write) {
  const UniqueFd fd(
      ::openat(place.parent.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) return fail_errno("creating a file beside " + shown_path(place));
  if (auto written = write(fd.get()); !written) return written;
  if (::fsync(fd.get()) != 0) return fail_errno("writing " + shown_path(place));
  return {};
}

// A rename that is not durable is the old file after a crash, and whole.
void sync_folder(int folder) {
  const UniqueFd opened(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) ::fsync(opened.get());
}

Status replace_at(const ResolvedPath& place, const std::function<Status(int)>& write) {
  if (place.name.empty() || place.missing.find('/') != place.missing.npos)
    return fail_errno("creating " + place.path + "/" + place.missing, place.name.empty() ? EISDIR : ENOENT);
  const int folder = place.parent.get();
  const auto temporary = fmt::format("{}.{}.tmp", place.name, ::getpid());
  remove_abandoned_files(folder, place.name);
  auto status = write_durably(place, temporary, write);
  if (status && ::renameat(folder, temporary.c_str(), folder, place.name.c_str()) != 0)
    status = fail_errno("replacing " + shown_path(place));
  if (status) sync_folder(folder);
  else ::unlinkat(folder, temporary.c_str(), 0);
  return status;
}

}  // namespace

Status replace_file(const std::string& path, const std::function<Status(int)>& write) {
  const auto place = resolve_path(path, Way::any_owner);
  return place ? replace_at(*place, write) : tl::unexpected(place.error());
}

Status write_output_file(const std::string& path, const std::function<Status(int)>& write) {
  const auto place = resolve_path(path, Way::any_owner);
  if (!place) return tl::unexpected(place.error());
  if (!place->found || S_ISREG(place->info.st_mode)) return replace_at(*place, write);
  const UniqueFd file(
      ::open(fmt::format("/proc/self/fd/{}", place->found.get()).c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return fail_errno("opening " + path);
  return write(file.get());
}

Status replace_file(const std::string& path, std::string_view text) {
  return replace_file(path, [&](int fd) -> Status {
    if (!write_all(fd, text)) return fail_errno("writing " + path);
    return {};
  });
}

}  // namespace weir
