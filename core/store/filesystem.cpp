#include "core/store/filesystem.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace weir::store {

namespace {

std::string path_of(int file) { return "/proc/self/fd/" + std::to_string(file); }

}  // namespace

int Filesystem::create(int directory, const char* name, mode_t mode, UniqueFd& made) {
  made = UniqueFd(::openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  return made ? 0 : errno;
}

int Filesystem::create_unnamed(int directory, mode_t mode, UniqueFd& made) {
  made = UniqueFd(::openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode));
  if (!made) return errno;
  // It is for nothing if it cannot be named when it is written.
  if (::faccessat(AT_FDCWD, path_of(made.get()).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return 0;
  made.reset();
  return EOPNOTSUPP;
}

int Filesystem::give_name(int file, int directory, const char* name) {
  return ::linkat(AT_FDCWD, path_of(file).c_str(), directory, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

int Filesystem::rename(int from_directory, const char* from, int to_directory, const char* to) {
  return ::renameat(from_directory, from, to_directory, to) == 0 ? 0 : errno;
}

int Filesystem::link(int from_directory, const char* from, int to_directory, const char* to) {
  return ::linkat(from_directory, from, to_directory, to, 0) == 0 ? 0 : errno;
}

int Filesystem::unlink(int directory, const char* name) {
  return ::unlinkat(directory, name, 0) == 0 ? 0 : errno;
}

int Filesystem::make_directory(int directory, const char* name) {
  return ::mkdirat(directory, name, 0755) == 0 ? 0 : errno;
}

int Filesystem::sync(int directory) { return ::syncfs(directory) == 0 ? 0 : errno; }

}  // namespace weir::store
