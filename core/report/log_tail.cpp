#include "core/report/log_tail.h"

#include <algorithm>
#include <string_view>

#include "core/base/regular_file.h"
#include "core/report/terminal_text.h"

namespace weir {

namespace {

// Line by line, so that a sequence without an end swallows no more than its line.
std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    out += strip_control(text.substr(0, end));
    if (text[end - 1] == '\n' && !out.ends_with('\n')) out += '\n';
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace

LogTail read_log_tail(const std::string& path, std::size_t most) {
  LogTail tail;
  auto file = open_regular_file(path, std::ios::ate);
  if (!file.is_open()) return tail;
  tail.bytes = static_cast<std::uint64_t>(file.tellg());
  const auto taken = std::min<std::uint64_t>(tail.bytes, most);
  tail.all = taken == tail.bytes;
  std::string text(taken, '\0');
  file.seekg(static_cast<std::streamoff>(tail.bytes - taken));
  file.read(text.data(), static_cast<std::streamsize>(taken));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (const auto line = text.find('\n'); !tail.all && line + 1 < text.size()) text.erase(0, line + 1);
  tail.text = clean(text);
  // What was no UTF-8 takes more room now.
  if (tail.text.size() > most) tail.text.erase(0, tail.text.size() - most);
  return tail;
}

}  // namespace weir
