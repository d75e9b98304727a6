#include "core/build/sealed_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdio>

#include "core/store/digest.h"
#include "core/store/file_tools.h"

namespace weir {

namespace {

std::string seal_of(std::string_view bytes) {
  const auto hash = store::digest_of(bytes).hash;
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace

std::optional<std::string> SealedFile::read() const {
  const UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  auto bytes = store::read_all(file.get(), "reading " + path_);
  constexpr auto kSeal = sizeof(store::Sha256);
  if (!bytes || bytes->size() < kSeal) return std::nullopt;
  const auto seal = bytes->substr(bytes->size() - kSeal);
  bytes->resize(bytes->size() - kSeal);
  if (seal != seal_of(*bytes)) return std::nullopt;
  return std::move(*bytes);
}

Status SealedFile::write(std::string bytes) const {
  bytes += seal_of(bytes);
  const auto temporary = path_ + ".new";
  const UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return fail_errno("opening " + temporary);
  if (!write_all(file.get(), bytes)) return fail_errno("writing " + temporary);
  if (std::rename(temporary.c_str(), path_.c_str()) != 0) return fail_errno("renaming " + temporary);
  return {};
}

Result<UniqueFd> SealedFile::lock() const {
  const auto path = path_ + ".lock";
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file) return fail_errno("opening " + path);
  while (::flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR) return fail_errno("locking " + path);
  return file;
}

}  // namespace weir
