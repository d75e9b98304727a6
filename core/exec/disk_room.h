// Whether a command failed because the disk of its files is full. Such a failure is not the command's, and
// must not be remembered as one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

struct DiskRoom {
  std::uint64_t free_bytes = 0;  // for users; what is reserved for root does not count
  std::uint64_t all_bytes = 0;
  std::uint64_t free_files = 0;
  std::uint64_t all_files = 0;  // 0: the file system does not count them
};

// `output`: the end of what the command wrote. Pure.
bool is_full(const DiskRoom& room, std::string_view output);
// Of the disk that holds `path`; a path that is not there is on no full disk.
bool is_on_full_disk(const std::string& path, std::string_view output);

}  // namespace weir
