#include "core/report/ci_log.h"

#include <fmt/chrono.h>

#include "core/base/print.h"
#include "core/report/terminal_text.h"

namespace weir {

namespace {

constexpr std::size_t kAtOnce = 64 * 1024;

}  // namespace

void CiLog::set_time(WallTime now) {
  now_ = now;
  stamp_ = fmt::format("{:%H:%M:%S}Z ", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

void CiLog::progress(std::string_view text) {
  fold(true);
  lines(text);
}

void CiLog::tell(std::string_view text) {
  fold(false);
  lines(text);
}

void CiLog::quote(std::string_view line) {
  fold(false);
  text(true);
  buffer_.append(stamp_).append("| ").append(line).push_back('\n');
  if (buffer_.size() >= kAtOnce) flush();
}

void CiLog::marks(std::string_view lines) {
  if (lines.empty()) return;
  fold(false);
  text(false);
  buffer_ += lines;
}

void CiLog::close() {
  fold(false);
  text(false);
}

bool CiLog::flush() {
  if (buffer_.empty()) return false;
  write_unfiltered(out_, buffer_);  // words are stripped already, marks are not to be
  std::fflush(out_);
  buffer_.clear();
  return true;
}

void CiLog::fold(bool wanted) {
  if (folded_ == wanted) return;
  const auto mark = wanted ? host_.fold_begin(now_) : host_.fold_end(now_);
  folded_ = wanted;
  if (mark.empty()) return;
  text(false);
  buffer_ += mark;
}

void CiLog::text(bool wanted) {
  if (text_ == wanted) return;
  buffer_ += wanted ? host_.text_begin() : host_.text_end();
  text_ = wanted;
}

void CiLog::lines(std::string_view words) {
  text(true);
  const auto clean = strip_control(words);
  for (std::string_view rest = clean;;) {
    const auto end = rest.find('\n');
    buffer_.append(stamp_).append(rest.substr(0, end)).push_back('\n');
    if (end == rest.npos) return;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace weir
