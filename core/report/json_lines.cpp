#include "core/report/json_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/log.h"

namespace weir {

Result<JsonLines> JsonLines::open(const std::string& path) {
  if (path == "-") return JsonLines(UniqueFd(), STDOUT_FILENO);
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return fail_errno("opening " + path + " for events");
  const int fd = file.get();
  return JsonLines(std::move(file), fd);
}

void JsonLines::on_event(const Event& event) {
  if (broken_) return;
  line_.clear();
  append_json(line_, event, std::chrono::system_clock::now());
  line_.push_back('\n');
  if (write_all(fd_, line_)) return;
  broken_ = true;
  log_warn("events are not written any more: errno {}", errno);
}

}  // namespace weir
