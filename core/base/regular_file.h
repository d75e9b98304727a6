// Streams of files in folders where damage may have left anything: opening a fifo would wait for its other
// end.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace weir {

// Not open if it is no regular file.
inline std::ifstream open_regular_file(const std::string& path, std::ios::openmode mode = std::ios::in) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  return std::ifstream(path, mode | std::ios::binary);
}

}  // namespace weir
