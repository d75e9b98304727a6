#include "core/base/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/abandoned_files.h"
#include "core/base/fd.h"

namespace weir {

namespace {

std::string link_target(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  std::string target = real ? real : path;
  ::free(real);
  return target;
}

Status write_durably(const std::string& path, const std::function<Status(int)>& write) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) return fail_errno("creating " + path);
  if (auto written = write(fd.get()); !written) return written;
  if (::fsync(fd.get()) != 0) return fail_errno("writing " + path);
  return {};
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash + 1);
}

// A rename that is not durable is the old file after a crash, and whole.
void sync_folder_of(const std::string& path) {
  const UniqueFd folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
}

}  // namespace

Status replace_file(const std::string& path, const std::function<Status(int)>& write) {
  const auto target = link_target(path);
  const auto temporary = fmt::format("{}.{}.tmp", target, ::getpid());
  remove_abandoned_files(folder_of(target), std::string_view(target).substr(target.rfind('/') + 1));
  auto status = write_durably(temporary, write);
  if (status && std::rename(temporary.c_str(), target.c_str()) != 0)
    status = fail_errno("renaming " + temporary);
  if (status) sync_folder_of(target);
  else ::unlink(temporary.c_str());
  return status;
}

Status replace_file(const std::string& path, std::string_view text) {
  return replace_file(path, [&](int fd) -> Status {
    if (!write_all(fd, text)) return fail_errno("writing " + path);
    return {};
  });
}

}  // namespace weir
