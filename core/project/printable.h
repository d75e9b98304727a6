// Bytes of unknown origin, made fit for a terminal: control characters and bytes that are no UTF-8 as \xNN, a
// tab as one space. Knows how many columns a character takes, so that carets stand under what they mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

struct PrintableChar {
  std::string text;       // what to print
  std::size_t width = 0;  // columns it takes on a terminal
  std::size_t bytes = 0;  // taken from the input; at least 1
};

// The first character of `text`, which is not empty.
PrintableChar printable_char(std::string_view text);
std::string printable(std::string_view text);
// The same of several lines: their ends stay.
std::string printable_lines(std::string_view text);

}  // namespace weir
