#include "core/remote/transfer.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace weir {

RemoteName remote_name(const store::Digest& digest) {
  RemoteName name;
  const auto hex = digest.hex();
  std::copy(hex.begin(), hex.end(), name.hash.begin());
  name.size = digest.size;
  return name;
}

RemoteName remote_key(std::string_view document) { return remote_name(store::digest_of(document)); }

Result<MemoryFile> MemoryFile::make(std::string_view bytes) {
  MemoryFile file;
  file.fd_ = std::make_shared<UniqueFd>(::memfd_create("weir-transfer", MFD_CLOEXEC));
  if (!*file.fd_ || !write_all(file.fd(), bytes)) return fail_errno("making a file in memory");
  return file;
}

Result<std::string> MemoryFile::read() const {
  struct stat info {};
  if (::fstat(fd(), &info) != 0) return fail_errno("reading a file in memory");
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  if (::pread(fd(), bytes.data(), bytes.size(), 0) != info.st_size)
    return fail_errno("reading a file in memory");
  return bytes;
}

bool MemoryFile::clear() const { return ::ftruncate(fd(), 0) == 0 && ::lseek(fd(), 0, SEEK_SET) == 0; }

}  // namespace weir
