// The output of one job: appended to its log file, the last 64 KiB kept in memory. The file is made with the
// first byte, so a silent job has none. Loop's thread; owned by the job.
#pragma once

#include <string>
#include <string_view>

#include "core/base/fd.h"

namespace weir {

class JobLog {
 public:
  static constexpr std::size_t kTail = 64 * 1024;

  explicit JobLog(std::string path) : path_(std::move(path)) {}
  // False, once, if the file cannot be written (disk full): the job then goes on and only the tail is kept.
  bool append(std::string_view bytes);
  std::string_view tail() const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  UniqueFd file_;
  std::string tail_;  // up to twice kTail, cut back in one move
  bool broken_ = false;
};

}  // namespace weir
