#include "core/exec/weir_transfer/copy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <vector>

namespace weir::transfer {

Done read_all(int file, std::string_view shown, const std::function<Done(std::string_view)>& take) {
  std::vector<char> buffer(1 << 18);
  for (off_t offset = 0;;) {
    const auto got = ::pread(file, buffer.data(), buffer.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_trouble("reading", shown);
    if (got == 0) return {};
    if (auto taken = take({buffer.data(), static_cast<std::size_t>(got)}); !taken) return taken;
    offset += got;
  }
}

Expected<bool> copy_file(int from, const Spot& target, bool executable, const std::string& sha256) {
  const auto fresh = target.name + ".weir-new";
  const int directory = target.directory.get();
  ::unlinkat(directory, fresh.c_str(), 0);
  const UniqueFd file(
      ::openat(directory, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_of(executable)));
  if (!file) return system_trouble("writing", target.shown);
  Sha256 hash;
  auto done = read_all(from, target.shown, [&](std::string_view bytes) -> Done {
    hash.update(bytes);
    if (!write_all(file.get(), bytes)) return system_trouble("writing", target.shown);
    return {};
  });
  const bool good = done && (sha256.empty() || hash.hex() == sha256);
  if (good &&
      (::fsync(file.get()) != 0 || ::renameat(directory, fresh.c_str(), directory, target.name.c_str()) != 0))
    done = system_trouble("writing", target.shown);
  if (!good || !done) ::unlinkat(directory, fresh.c_str(), 0);
  if (!done) return tl::unexpected(done.error());
  return good;
}

}  // namespace weir::transfer
