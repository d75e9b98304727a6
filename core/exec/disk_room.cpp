#include "core/exec/disk_room.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

namespace weir {

bool is_full(const DiskRoom& room, std::string_view output) {
  // Tools remove what they could not finish, so a disk that was full has a little room again.
  constexpr std::uint64_t kLittle = 1 << 20;
  if (room.free_bytes < kLittle) return true;
  if (room.all_files > 0 && room.free_files == 0) return true;
  // If that was much, the command has to say so as well: alone, its words may be about anything.
  return room.free_bytes < room.all_bytes / 10 && output.find(::strerrordesc_np(ENOSPC)) != output.npos;
}

bool is_on_full_disk(const std::string& path, std::string_view output) {
  struct statvfs now {};
  if (path.empty() || ::statvfs(path.c_str(), &now) != 0) return false;
  return is_full({now.f_bavail * now.f_frsize, now.f_blocks * now.f_frsize, now.f_favail, now.f_files},
                 output);
}

}  // namespace weir
