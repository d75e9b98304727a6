// Several files in one text: a line "=== NAME" begins a part; the first part has no name.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weir::test {

struct TextPart {
  std::string name;
  std::string text;
};

inline std::vector<TextPart> parts_of(std::string_view input) {
  std::vector<TextPart> parts(1);
  while (!input.empty()) {
    const auto end = std::min(input.find('\n'), input.size() - 1) + 1;
    const auto line = input.substr(0, end);
    if (line.starts_with("=== "))
      parts.push_back({std::string(line.substr(4, line.find_last_not_of("\r\n") - 3)), {}});
    else parts.back().text += line;
    input.remove_prefix(end);
  }
  return parts;
}

}  // namespace weir::test
