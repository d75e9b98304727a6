#include "core/exec/weir_transfer/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/exec/weir_transfer/copy_file.h"
#include "core/exec/weir_transfer/http_answer.h"

namespace weir::transfer {
namespace {

std::string read_small(UniqueFd file) {
  std::string text(4096, '\0');
  const auto got = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// A fifo, folder or symlink in the place of a file of ours.
void remove_unless_regular(int directory, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(info.st_mode)) return;
  std::error_code ignored;  // opening it says what is wrong
  std::filesystem::remove_all(fmt::format("/proc/self/fd/{}/{}", directory, name), ignored);
}

UniqueFd open_or_create(int directory, const std::string& name) {
  const auto open = [&] {
    return UniqueFd(::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  };
  auto file = open();
  // A mode that locks its owner out is damage as well.
  if (!file && errno == EACCES && ::fchmodat(directory, name.c_str(), 0644, 0) == 0) file = open();
  return file;
}

// Whether the name still leads to this file: its last owner may have renamed or removed it while we waited.
bool is_at(int directory, const std::string& name, int file) {
  struct stat ours {
  }, there{};
  return ::fstat(file, &ours) == 0 && ::fstatat(directory, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

// A part is written from its start on. One that was extended would be hashed for hours.
bool has_holes(int file) {
  constexpr std::int64_t kBlock = 512;  // of st_blocks
  constexpr off_t kWorthALook = 1 << 20;
  struct stat info {};
  if (::fstat(file, &info) != 0) return true;
  return info.st_size > kWorthALook && info.st_blocks * kBlock < info.st_size / 2;
}

bool lock(int file, std::string_view url_shown) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) return false;
  fmt::print(stderr, "weir-transfer: another process downloads {}; waiting for it\n", url_shown);
  int result;
  do result = ::flock(file, LOCK_EX);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

Expected<PartFile> PartFile::open(int directory, std::string_view url, std::string_view url_shown) {
  const auto name = "part-" + sha256_hex(url);
  for (;;) {
    remove_unless_regular(directory, name);
    auto file = open_or_create(directory, name);
    if (!file || !lock(file.get(), url_shown)) return system_trouble("opening the part file of", url_shown);
    if (is_at(directory, name, file.get())) return PartFile(directory, name, std::move(file));
  }
}

Done PartFile::take_up(bool will_be_checked) {
  remove_unless_regular(directory_, state_name());
  const auto text =
      read_small(UniqueFd(::openat(directory_, state_name().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)));
  const auto end = text.find('\n');
  if (end == text.npos || !can_be_validator(std::string_view(text).substr(end + 1)) || has_holes(file_.get()))
    return restart();
  if (auto done = hash_what_is_there(); !done) return done;
  if (!will_be_checked && text.substr(0, end) != digest()) return restart();
  validator_ = text.substr(end + 1);
  return {};
}

Done PartFile::hash_what_is_there() {
  hash_ = Sha256();
  size_ = 0;
  auto done = read_all(file_.get(), name_, [&](std::string_view bytes) -> Done {
    hash_.update(bytes);
    size_ += bytes.size();
    return {};
  });
  if (done && ::lseek(file_.get(), static_cast<off_t>(size_), SEEK_SET) < 0)
    return system_trouble("reading", name_);
  return done;
}

Done PartFile::append(std::string_view bytes) {
  if (!write_all(file_.get(), bytes)) return system_trouble("writing", name_);
  hash_.update(bytes);
  size_ += bytes.size();
  return {};
}

Done PartFile::restart() {
  ::unlinkat(directory_, state_name().c_str(), 0);
  hash_ = Sha256();
  size_ = 0;
  validator_.clear();
  if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) < 0)
    return system_trouble("writing", name_);
  return {};
}

// Before the first byte of that version is written: bytes without their validator are never gone on with.
Done PartFile::set_validator(std::string validator) {
  validator_ = std::move(validator);
  return validator_.empty() ? Done() : write_state({});
}

Done PartFile::write_state(const std::string& digest) const {
  remove_unless_regular(directory_, state_name());
  ::unlinkat(directory_, state_name().c_str(), 0);
  const UniqueFd file(
      ::openat(directory_, state_name().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file || !write_all(file.get(), digest + "\n" + validator_))
    return system_trouble("writing", state_name());
  return {};
}

void PartFile::leave() {
  if (!can_resume() || !write_state(digest())) drop();
}

Done PartFile::check_room(std::uint64_t more) const {
  struct statvfs disk {};
  if (::fstatvfs(file_.get(), &disk) != 0) return {};
  const std::uint64_t room = disk.f_bavail * disk.f_frsize;
  if (more <= room) return {};
  return trouble(
      TransferExit::infra,
      fmt::format(
          "the download has {} more to come, but the disk of the downloads has room for {}; make room on "
          "it, for example with `weir cache gc`",
          format_bytes(more), format_bytes(room)));
}

Done PartFile::keep(const std::string& name, bool executable) {
  if (::linkat(directory_, name_.c_str(), directory_, name.c_str(), 0) == 0 || errno == EEXIST) return {};
  // A file system without hardlinks.
  const auto copied = copy_file(file_.get(), {UniqueFd(::dup(directory_)), name, name}, executable, {});
  return copied ? Done() : tl::unexpected(copied.error());
}

Done PartFile::move_to(const Spot& target, bool executable, const std::string& keep_as) {
  if (::fchmod(file_.get(), mode_of(executable)) != 0 || ::fsync(file_.get()) != 0)
    return system_trouble("writing", name_);
  if (!keep_as.empty())
    if (auto kept = keep(keep_as, executable); !kept) return kept;
  // First the validator: once the part has its new name, another process may begin with one of its own.
  ::unlinkat(directory_, state_name().c_str(), 0);
  if (::renameat(directory_, name_.c_str(), target.directory.get(), target.name.c_str()) != 0) {
    if (errno != EXDEV) return system_trouble("writing", target.shown);
    if (const auto copied = copy_file(file_.get(), target, executable, {}); !copied)
      return tl::unexpected(copied.error());
    ::unlinkat(directory_, name_.c_str(), 0);
  }
  return {};
}

void PartFile::drop() {
  ::unlinkat(directory_, state_name().c_str(), 0);
  ::unlinkat(directory_, name_.c_str(), 0);
}

}  // namespace weir::transfer
