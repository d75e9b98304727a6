#include "core/store/inventory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/store/file_tools.h"

namespace weir::store {

namespace {

constexpr std::string_view kExecutableSuffix = ".x";

Status list_one(const StoreDir& dir, int number, std::vector<ObjectInode>& found) {
  const auto prefix = fmt::format("{:02x}", number);
  auto fd = open_directory(dir.root(), "objects/" + prefix);
  if (!fd && fd.error().reason == Reason::not_found) return {};  // no object needed it yet
  if (!fd) return tl::unexpected(fd.error());
  auto entries = list_directory(fd->get());
  if (!entries) return tl::unexpected(entries.error());
  for (const auto& entry : *entries) {
    std::string_view name = entry.name;
    const bool executable = name.ends_with(kExecutableSuffix);
    if (executable) name.remove_suffix(kExecutableSuffix.size());
    const auto hash = parse_hex(prefix + std::string(name));
    struct stat info {};
    if (!hash || ::fstatat(fd->get(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    found.push_back({*hash, executable, static_cast<std::uint64_t>(info.st_size),
                     info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec});
  }
  return {};
}

}  // namespace

Result<std::vector<ObjectInode>> list_objects(const StoreDir& dir) {
  std::vector<ObjectInode> found;
  for (int i = 0; i < 256; ++i)
    if (auto listed = list_one(dir, i, found); !listed) return tl::unexpected(listed.error());
  return found;
}

}  // namespace weir::store
