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

mode_t mode_of(bool executable) { return executable ? kExecutableMode : kPlainMode; }

int finish_inode(int fd, bool executable) {
  if (::fchmod(fd, mode_of(executable)) != 0) return errno;
  return set_fixed_mtime(fd);
}

bool has_size(const struct stat& info, const Digest& digest) {
  return S_ISREG(info.st_mode) && static_cast<std::uint64_t>(info.st_size) == digest.size;
}

// The mode and time that every object of the store has.
bool is_finished(const struct stat& info, bool executable) {
  return (info.st_mode & 07777) == mode_of(executable) && info.st_mtim.tv_sec == kFixedMtime &&
         info.st_mtim.tv_nsec == 0;
}

}  // namespace

tl::unexpected<Error> fail_missing(const Digest& digest) {
  return fail(Reason::not_found,
              "object " + digest.text() + " is missing from the cache, or was damaged and dropped",
              "run `weir build` to make it again");
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
  if (has_size(info, digest) && is_finished(info, executable)) return true;
  return provide(digest, executable).has_value();
}

bool ObjectFiles::has_content(int directory, const char* name, const Digest& digest, bool executable) {
  return is_content(directory, name, digest, executable).value_or(false);
}

Result<bool> ObjectFiles::is_content(int directory, const char* name, const Digest& digest, bool executable) {
  struct stat info {};
  const auto has_facts = [&] { return has_size(info, digest) && is_finished(info, executable); };
  if (::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !has_facts()) return false;
  if (verified_.knows(info, digest.hash)) return true;
  const auto fd = open_for_reading(directory, name);
  if (!fd && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
    return fail_errno("reading object " + digest.hex());
  if (!fd || ::fstat(fd.get(), &info) != 0 || !has_facts()) return false;
  const auto right = has_digest(fd.get(), digest);
  if (!right && right.error().reason == Reason::cancelled) return right;
  if (!right.value_or(false)) return false;  // a disk that gives EIO has lost it as well
  verified_.add(info, digest.hash);          // as it was before it was hashed
  return true;
}

bool ObjectFiles::has(const Digest& digest) { return has_inode(digest, false) || has_inode(digest, true); }

void ObjectFiles::note_damaged(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  damaged_.push_back(digest);
}

void ObjectFiles::drop(const Digest& digest) {
  for (const bool executable : {false, true}) {
    const auto name = name_of(digest.hash, executable);
    const int error = dir_.files().unlink(dir_.root(), name.c_str());
    if (error == EISDIR || error == EPERM) (void)remove_tree(dir_.root(), name);
  }
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
  if (!error) {
    note_verified(fd, digest);
    return {};
  }
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
  const auto failed = [](int error) { return fail_file("writing a file into the store", error); };
  UniqueFd fd;
  // A command that a signal ends in the middle of a large file leaves nothing.
  const bool has_name = dir_.files().create_unnamed(dir_.root(), 0600, fd) != 0;
  if (has_name)
    if (const int error = dir_.files().create(dir_.root(), temporary.c_str(), 0600, fd)) return failed(error);
  auto hashed = hash_file(from, fd.get(), expected_size);
  const bool is_new = hashed && !has(hashed->digest);
  if (!is_new && has_name) (void)dir_.files().unlink(dir_.root(), temporary.c_str());
  if (!hashed) return tl::unexpected(hashed.error());
  learn(*hashed);
  const auto& digest = hashed->digest;
  if (!is_new) return digest;
  if (!has_name)
    if (const int error = dir_.files().give_name(fd.get(), dir_.root(), temporary.c_str()))
      return failed(error);
  auto published = publish(temporary, fd.get(), digest, executable);
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
  note_verified(fd, digest);
  return true;
}

// Of a file that weir has just hashed or written, and renamed.
void ObjectFiles::note_verified(int fd, const Digest& digest) {
  struct stat info {};
  if (::fstat(fd, &info) == 0 && has_size(info, digest)) verified_.add(info, digest.hash);
}

Result<UniqueFd> ObjectFiles::open(const Digest& digest) {
  for (const bool executable : {false, true}) {
    auto fd = open_for_reading(dir_.root(), name_of(digest.hash, executable).c_str());
    if (!fd && errno == ENOENT) continue;
    // A symlink, a socket, a file that its owner may not read.
    const bool is_odd = !fd && (errno == ELOOP || errno == ENXIO || errno == EACCES);
    struct stat info {};
    if (!is_odd && (!fd || ::fstat(fd.get(), &info) != 0))
      return fail_errno("opening object " + digest.hex());
    if (!is_odd && has_size(info, digest)) return fd;
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

void ObjectFiles::learn(const Hashed& hashed) {
  if (hashed.checksum && hashed.digest.size >= Checksums::kLarge)
    checksums_.learn(hashed.digest.hash, *hashed.checksum);
}

std::optional<Checksum> ObjectFiles::checksum_of(const Digest& digest) {
  return digest.size >= Checksums::kLarge ? checksums_.find(digest.hash) : std::nullopt;
}

// By its checksum if that is known, and by SHA-256 if it is not or differs.
Result<bool> ObjectFiles::has_digest(int fd, const Digest& digest) {
  if (const auto known = checksum_of(digest))
    if (const auto found = checksum_file(fd, -1); found && *found == *known) return true;
  const auto hashed = hash_file(fd, -1, digest.size);
  if (!hashed) return tl::unexpected(hashed.error());
  if (hashed->digest != digest) return false;
  learn(*hashed);
  return true;
}

Result<bool> ObjectFiles::copy_verified(int from, int to, const Digest& digest) {
  if (const auto known = checksum_of(digest)) {
    const auto copied = checksum_file(from, to);
    if (!copied) return tl::unexpected(copied.error());
    // What was written has the right checksum, or is judged by SHA-256.
    return *copied == *known ? Result<bool>(true) : has_digest(to, digest);
  }
  const auto copied = hash_file(from, to, digest.size);
  if (!copied) return tl::unexpected(copied.error());
  learn(*copied);
  return copied->digest == digest;
}

Result<UniqueFd> ObjectFiles::open_verified(const Digest& digest) {
  auto fd = open(digest);
  if (!fd) return fd;
  const auto right = has_digest(fd->get(), digest);
  if (!right) return tl::unexpected(right.error());
  if (*right) return fd;
  drop(digest);
  return fail_missing(digest);
}

Status ObjectFiles::copy(const Digest& digest, int to) {
  auto from = open(digest);
  if (!from) return tl::unexpected(from.error());
  const auto right = copy_verified(from->get(), to, digest);
  if (!right) return tl::unexpected(right.error());
  if (*right) return {};
  drop(digest);
  return fail_missing(digest);
}

Status ObjectFiles::provide(const Digest& digest, bool executable) {
  const auto object = name_of(digest.hash, executable);
  auto right = is_content(dir_.root(), object.c_str(), digest, executable);
  if (!right) return tl::unexpected(right.error());
  if (*right) return {};
  struct stat info {};
  if (::fstatat(dir_.root(), object.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && has_size(info, digest) &&
      is_finished(info, executable)) {
    right = is_content(dir_.root(), object.c_str(), digest, executable);
    if (!right) return tl::unexpected(right.error());
    if (*right) return {};  // another process has just put it there
    drop(digest);
    return fail_missing(digest);
  }
  // It is not there, or its mode or time was changed. Then it gets a new inode: the old one may be part of a
  // stage that a job uses, and must not look as if nothing had happened when that job ends.
  const auto temporary = dir_.temporary();
  UniqueFd fd;
  if (const int error = dir_.files().create(dir_.root(), temporary.c_str(), 0600, fd))
    return fail_file(doing(digest), error);
  auto copied = copy(digest, fd.get());
  if (copied) return publish(temporary, fd.get(), digest, executable);
  (void)dir_.files().unlink(dir_.root(), temporary.c_str());
  return copied;
}

}  // namespace weir::store
