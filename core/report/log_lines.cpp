#include "core/report/log_lines.h"

#include <algorithm>
#include <utility>

#include "core/base/regular_file.h"
#include "core/report/terminal_text.h"

namespace weir {

LogLines::LogLines(const std::string& path, std::uint64_t from, std::uint64_t to)
    : file_(open_regular_file(path)), left_(to > from ? to - from : 0) {
  if (from > 0) file_.seekg(static_cast<std::streamoff>(from));
}

bool LogLines::fill() {
  at_ = 0;
  buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, left_)));
  if (!buffer_.empty()) file_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.resize(file_.gcount() > 0 && !buffer_.empty() ? static_cast<std::size_t>(file_.gcount()) : 0);
  left_ -= buffer_.size();
  return !buffer_.empty();
}

bool LogLines::next() {
  line_ = std::exchange(cut_, {});
  continues_ = !whole_;
  while (line_.size() < kPiece) {
    if (at_ == buffer_.size() && !fill()) {
      whole_ = true;
      return !line_.empty();
    }
    const auto room = std::min(kPiece - line_.size(), buffer_.size() - at_);
    const auto end = std::string_view(buffer_).substr(at_, room).find('\n');
    whole_ = end != std::string_view::npos;
    line_.append(buffer_, at_, whole_ ? end : room);
    at_ += whole_ ? end + 1 : room;
    if (whole_) return true;
  }
  keep_character_whole();
  return true;
}

// What a piece begins of a character of several bytes belongs to the next one.
void LogLines::keep_character_whole() {
  for (std::size_t back = 1; back <= 3 && back <= line_.size(); ++back) {
    const auto byte = static_cast<unsigned char>(line_[line_.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (length <= back) return;
    cut_ = line_.substr(line_.size() - back);
    line_.resize(line_.size() - back);
    return;
  }
}

void for_each_clean_line(LogLines lines, const std::function<void(std::string_view)>& call) {
  while (lines.next()) {
    std::string_view rest = lines.line();
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    for (;;) {
      const auto end = rest.find('\r');
      call(strip_control(rest.substr(0, end)));
      if (end == rest.npos) break;
      rest.remove_prefix(end + 1);
    }
  }
}

}  // namespace weir
