#include "core/store/filesystem.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace weir::store {

int Filesystem::create(int directory, const char* name, mode_t mode, UniqueFd& made) {
  made = UniqueFd(::openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  return made ? 0 : errno;
}

int Filesystem::create_unnamed(int directory, mode_t mode, UniqueFd& made) {
  made = UniqueFd(::openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode));
  return made ? 0 : errno;
}

int Filesystem::give_name(int file, int directory, const char* name) {
  const auto path = "/proc/self/fd/" + std::to_string(file);
  return ::linkat(AT_FDCWD, path.c_str(), directory, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
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
