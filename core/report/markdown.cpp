#include "core/report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/terminal_text.h"

namespace weir {

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kHtml = "<>&|", kEscaped = "\\`*_{}[]()#+-.!~=:$\"'@^";
  std::string out;
  for (const char c : one_line(text)) {
    // A bar ends a cell even behind a backslash in some readers; a number is read alike by all.
    if (kHtml.find(c) != kHtml.npos) {
      out += fmt::format("&#{};", static_cast<int>(c));
      continue;
    }
    if (kEscaped.find(c) != kEscaped.npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  const auto clean = strip_control(text);
  std::size_t longest = 2, run = 0;
  for (const char c : clean) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}text\n{}{}{}\n", fence, clean, clean.empty() || clean.back() == '\n' ? "" : "\n",
                     fence);
}

}  // namespace weir
