#include "core/build/sealed_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/base/wire.h"
#include "core/store/digest.h"
#include "core/store/file_tools.h"

namespace weir {

namespace {

std::string seal_of(std::string_view bytes) {
  const auto hash = store::digest_of(bytes).hash;
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

// The last bytes of a file are its seal; empty if there is none.
std::string seal_in(const std::string& path) {
  const auto file = store::open_regular(AT_FDCWD, path.c_str());
  struct stat info {};
  std::string seal(sizeof(store::Sha256), '\0');
  const auto size = static_cast<off_t>(seal.size());
  if (!file || ::fstat(file.get(), &info) != 0 || info.st_size < size) return {};
  return ::pread(file.get(), seal.data(), seal.size(), info.st_size - size) == size ? seal : std::string();
}

// Takes the seal off. False: it is not theirs.
bool unseal(std::string& bytes) {
  constexpr auto kSeal = sizeof(store::Sha256);
  if (bytes.size() < kSeal) return false;
  const auto seal = bytes.substr(bytes.size() - kSeal);
  bytes.resize(bytes.size() - kSeal);
  return seal == seal_of(bytes);
}

bool begins_with(const std::string& path, std::string_view head) {
  const auto file = store::open_regular(AT_FDCWD, path.c_str());
  std::string begin(head.size(), '\0');
  return file && ::pread(file.get(), begin.data(), begin.size(), 0) == static_cast<ssize_t>(begin.size()) &&
         begin == head;
}

std::size_t size_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

}  // namespace

std::optional<std::string> SealedFile::read() const {
  auto bytes = store::read_small_file(AT_FDCWD, path_.c_str());
  if (!bytes) return std::nullopt;
  if (unseal(*bytes)) return std::move(*bytes);
  discard_damaged();
  return std::nullopt;
}

// Unless another weir holds the lock: it is about to write the file.
void SealedFile::discard_damaged() const {
  const auto file = store::open_lock_file(AT_FDCWD, path_ + ".lock");
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  auto bytes = store::read_small_file(AT_FDCWD, path_.c_str());
  if (!bytes || unseal(*bytes)) return;
  ::unlink(path_.c_str());
  ::unlink(more().c_str());
}

Status SealedFile::write(std::string bytes) const {
  bytes += seal_of(bytes);
  const auto temporary = path_ + ".new";
  for (const auto& place : {path_, temporary})
    if (auto removed = store::remove_unless_regular(AT_FDCWD, place); !removed) return removed;
  const UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return fail_errno("opening " + temporary);
  if (!write_all(file.get(), bytes)) return fail_errno("writing " + temporary);
  if (std::rename(temporary.c_str(), path_.c_str()) != 0) return fail_errno("renaming " + temporary);
  ::unlink(more().c_str());
  return {};
}

// Appending ends where reading what was appended begins to count.
bool SealedFile::is_worth_appending(std::size_t bytes, std::string_view head) const {
  return size_of(more()) + bytes < size_of(path_) / 8 && begins_with(path_, head);
}

Status SealedFile::append(std::string_view change) const {
  const auto belongs_to = seal_in(path_);
  wire::Writer entry;
  entry.text(change);
  entry.text(seal_of(belongs_to + std::string(change)));
  if (auto removed = store::remove_unless_regular(AT_FDCWD, more()); !removed) return removed;
  const UniqueFd file(::open(more().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file) return fail_errno("opening " + more());
  if (!write_all(file.get(), entry.bytes())) return fail_errno("writing " + more());
  return {};
}

std::vector<std::string> SealedFile::appended() const {
  std::vector<std::string> all;
  const auto bytes = store::read_small_file(AT_FDCWD, more().c_str());
  if (!bytes) return all;
  const auto belongs_to = seal_in(path_);
  wire::Reader in(*bytes);
  while (in.ok() && !in.at_end()) {
    const auto change = in.text();
    if (in.text() != seal_of(belongs_to + std::string(change))) break;
    all.emplace_back(change);
  }
  return all;
}

Result<UniqueFd> SealedFile::lock() const {
  const auto path = path_ + ".lock";
  auto file = store::open_lock_file(AT_FDCWD, path);
  if (!file) return fail_errno("opening " + path);
  while (::flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR) return fail_errno("locking " + path);
  return file;
}

}  // namespace weir
