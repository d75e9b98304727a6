#include "core/store/object_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/store/file_tools.h"
#include "core/store/hash_pipe.h"

namespace weir::store {

namespace {

std::string doing(const Digest& digest) { return "writing object " + digest.hex(); }

int finish_inode(int fd, bool executable) {
  if (::fchmod(fd, executable ? kExecutableMode : kPlainMode) != 0) return errno;
  return set_fixed_mtime(fd);
}

}  // namespace

tl::unexpected<Error> fail_missing(const Digest& digest) {
  return fail(Reason::not_found, "object " + digest.text() + " is not in the store");
}

std::string ObjectFiles::name_of(const Sha256& hash, bool executable) {
  const auto hex = to_hex(hash);
  std::string name;
  name.reserve(80);
  name.append("objects/").append(hex, 0, 2).append("/").append(hex, 2);
  if (executable) name += ".x";
  return name;
}

// The 256 directories are made when first needed: mkdir is the slowest call of a file system (1.6 ms was seen
// on a busy ext4), and most stores of tests and small projects need few of them.
int ObjectFiles::rename_in(int directory, const char* from, const std::string& object) {
  const int error = dir_.files().rename(directory, from, dir_.root(), object.c_str());
  if (error != ENOENT) return error;
  const auto parent = object.substr(0, object.rfind('/'));
  const int made = dir_.files().make_directory(dir_.root(), parent.c_str());
  if (made && made != EEXIST) return made;
  return dir_.files().rename(directory, from, dir_.root(), object.c_str());
}

bool ObjectFiles::has_inode(const Digest& digest, bool executable) {
  const auto name = name_of(digest.hash, executable);
  struct stat info {};
  if (::fstatat(dir_.root(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (static_cast<std::uint64_t>(info.st_size) == digest.size && S_ISREG(info.st_mode)) return true;
  drop(digest);
  return false;
}

bool ObjectFiles::has(const Digest& digest) { return has_inode(digest, false) || has_inode(digest, true); }

void ObjectFiles::note_damaged(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  damaged_.push_back(digest);
}

void ObjectFiles::drop(const Digest& digest) {
  (void)dir_.files().unlink(dir_.root(), name_of(digest.hash, false).c_str());
  (void)dir_.files().unlink(dir_.root(), name_of(digest.hash, true).c_str());
  note_damaged(digest);
}

std::vector<Digest> ObjectFiles::take_damaged() {
  const std::lock_guard lock(mutex_);
  return std::exchange(damaged_, {});
}

Status ObjectFiles::publish(const std::string& temporary, int fd, const Digest& digest, bool executable) {
  int error = finish_inode(fd, executable);
  const auto name = name_of(digest.hash, executable);
  if (!error) error = rename_in(dir_.root(), temporary.c_str(), name);
  if (!error) return {};
  (void)dir_.files().unlink(dir_.root(), temporary.c_str());
  return fail_file(doing(digest), error);
}

Status ObjectFiles::put(const Digest& digest, std::string_view bytes, bool executable) {
  if (has(digest)) return {};
  const auto temporary = dir_.temporary();
  UniqueFd fd;
  if (const int error = dir_.files().create(dir_.root(), temporary.c_str(), 0600, fd))
    return fail_file(doing(digest), error);
  if (const int error = write_all(fd.get(), bytes)) {
    (void)dir_.files().unlink(dir_.root(), temporary.c_str());
    return fail_file(doing(digest), error);
  }
  return publish(temporary, fd.get(), digest, executable);
}

Status ObjectFiles::take(const std::string& temporary, int fd, const Digest& digest, bool executable) {
  if (!has(digest)) return publish(temporary, fd, digest, executable);
  (void)dir_.files().unlink(dir_.root(), temporary.c_str());
  return {};
}

Result<Digest> ObjectFiles::put_stream(int from, std::uint64_t expected_size, bool executable) {
  const auto temporary = dir_.temporary();
  UniqueFd fd;
  if (const int error = dir_.files().create(dir_.root(), temporary.c_str(), 0600, fd))
    return fail_file("writing a file into the store", error);
  auto digest = hash_file(from, fd.get(), expected_size);
  if (!digest || has(*digest)) {
    (void)dir_.files().unlink(dir_.root(), temporary.c_str());
    return digest;
  }
  auto published = publish(temporary, fd.get(), *digest, executable);
  if (!published) return tl::unexpected(published.error());
  return digest;
}

Result<bool> ObjectFiles::adopt(int directory, const char* name, int fd, const Digest& digest,
                                bool executable) {
  if (has(digest)) return true;
  if (finish_inode(fd, executable) != 0) return false;
  const auto object = name_of(digest.hash, executable);
  const int error = rename_in(directory, name, object);
  if (error == EXDEV) return false;
  if (error) return fail_file(doing(digest), error);
  return true;
}

Result<UniqueFd> ObjectFiles::open(const Digest& digest) {
  for (const bool executable : {false, true}) {
    UniqueFd fd(
        ::openat(dir_.root(), name_of(digest.hash, executable).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd && errno == ENOENT) continue;
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno("opening object " + digest.hex());
    if (static_cast<std::uint64_t>(info.st_size) == digest.size) return fd;
    drop(digest);
    break;
  }
  return fail_missing(digest);
}

Result<std::string> ObjectFiles::read(const Digest& digest) {
  auto fd = open(digest);
  if (!fd) return tl::unexpected(fd.error());
  auto bytes = read_all(fd->get(), "reading object " + digest.hex());
  if (!bytes) return tl::unexpected(bytes.error());
  if (digest_of(*bytes) == digest) return bytes;
  drop(digest);
  return fail_missing(digest);
}

Status ObjectFiles::provide(const Digest& digest, bool executable) {
  if (has_inode(digest, executable)) return {};
  auto other = open(digest);
  if (!other) return tl::unexpected(other.error());
  const auto temporary = dir_.temporary();
  UniqueFd fd;
  int error = dir_.files().create(dir_.root(), temporary.c_str(), 0600, fd);
  if (error) return fail_file(doing(digest), error);
  error = copy_bytes(other->get(), fd.get());
  if (!error) return publish(temporary, fd.get(), digest, executable);
  (void)dir_.files().unlink(dir_.root(), temporary.c_str());
  return fail_file(doing(digest), error);
}

}  // namespace weir::store
