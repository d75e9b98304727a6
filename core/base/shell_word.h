// A text as one word of a shell's command line.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// As it is where that is safe, else in single quotes. Never holds %{, which weir would expand.
inline std::string shell_word(std::string_view text) {
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,/@:";
  if (!text.empty() && text.find_first_not_of(kSafe) == text.npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "'\\''";
    else if (c == '{' && out.back() == '%') out += "''{";
    else out += c;
  }
  return out + "'";
}

}  // namespace weir
