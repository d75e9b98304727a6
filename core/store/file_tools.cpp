#include "core/store/file_tools.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "core/base/remove_tree.h"

namespace weir::store {

namespace {

constexpr std::size_t kPiece = PATH_MAX - NAME_MAX - 2;  // cut at a slash, a piece stays below PATH_MAX
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

tl::unexpected<Error> fail_file(std::string_view doing, int error_number) {
  auto failed = fail_errno(doing, error_number);
  if (error_number == EFBIG) failed.value().reason = Reason::resources;
  if (failed.value().reason == Reason::resources && failed.value().remedy.empty())
    failed.value().remedy = "make room on the disk, for example with `weir cache gc`";
  return failed;
}

Result<UniqueFd> open_directory(int root, const std::string& path) {
  UniqueFd held;
  int at = root;
  std::size_t begin = 0;
  do {
    auto end = path.size();
    if (end - begin > kPiece) end = path.rfind('/', begin + kPiece);
    const auto piece = end == begin ? std::string(".") : path.substr(begin, end - begin);
    UniqueFd next(::openat(at, piece.c_str(), kDirectoryFlags));
    if (!next) return fail_errno("opening the directory " + path);
    held = std::move(next);
    at = held.get();
    begin = end + 1;
  } while (begin < path.size());
  return held;
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Result<std::string> read_all(int fd, std::string_view doing) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return fail_errno(doing);
  std::string bytes(static_cast<std::size_t>(info.st_size) + 1,
                    '\0');  // one more, to see the end in one read
  std::size_t have = 0;
  for (;;) {
    const auto got = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(doing);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have == bytes.size()) bytes.resize(bytes.size() * 2);
    else if (have == static_cast<std::size_t>(info.st_size)) break;
  }
  bytes.resize(have);
  return bytes;
}

UniqueFd open_for_reading(int directory, const char* name) {
  return UniqueFd(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

UniqueFd open_regular(int directory, const char* name) {
  auto fd = open_for_reading(directory, name);
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return {};
  if (S_ISREG(info.st_mode)) return fd;
  errno = EINVAL;
  return {};
}

UniqueFd open_lock_file(int directory, const std::string& name) {
  const auto open = [&] {
    return UniqueFd(::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  };
  auto fd = open();
  // A mode that locks its owner out is damage as well.
  if (!fd && errno == EACCES && ::fchmodat(directory, name.c_str(), 0644, 0) == 0) fd = open();
  if (!fd && remove_unless_regular(directory, name)) fd = open();
  return fd;
}

Status remove_unless_regular(int directory, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(info.st_mode)) return {};
  return remove_tree(directory, name);
}

Result<std::string> read_small_file(int directory, const char* name) {
  const auto fd = open_regular(directory, name);
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno(std::string("opening ") + name);
  if (info.st_size > kLongestSmallFile) return fail_errno(std::string("reading ") + name, EFBIG);
  return read_all(fd.get(), std::string("reading ") + name);
}

int set_fixed_mtime(int fd) {
  const timespec times[2] = {{kFixedMtime, 0}, {kFixedMtime, 0}};
  return ::futimens(fd, times) == 0 ? 0 : errno;
}

Result<std::vector<Entry>> list_directory(int directory) {
  UniqueFd again(::openat(directory, ".", kDirectoryFlags));  // a position of its own
  if (!again) return fail_errno("opening a directory");
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), &::closedir);
  if (!stream) return fail_errno("reading a directory");
  again.release();
  std::vector<Entry> entries;
  for (;;) {
    errno = 0;
    const auto* entry = ::readdir(stream.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), entry->d_type});
  }
  if (errno != 0) return fail_errno("reading a directory");
  return entries;
}

Status remove_tree(int directory, const std::string& name) { return weir::remove_tree(directory, name); }

}  // namespace weir::store
