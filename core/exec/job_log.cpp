#include "core/exec/job_log.h"

#include <errno.h>
#include <fcntl.h>

namespace weir {

bool JobLog::append(std::string_view bytes) {
  if (tail_.size() + bytes.size() > 2 * kTail) {
    const auto keep = kTail - std::min(kTail, bytes.size());
    if (keep < tail_.size()) tail_.erase(0, tail_.size() - keep);
  }
  tail_.append(bytes.size() > kTail ? bytes.substr(bytes.size() - kTail) : bytes);
  if (broken_) return true;
  if (!file_) file_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  broken_ = !file_ || !write_all(file_.get(), bytes);
  return !broken_;
}

std::string_view JobLog::tail() const {
  const std::string_view all(tail_);
  return all.size() > kTail ? all.substr(all.size() - kTail) : all;
}

}  // namespace weir
