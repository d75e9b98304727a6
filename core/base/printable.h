// Bytes of unknown origin, made fit for a terminal, in two ways: `printable` shows each control character and
// each byte that is no UTF-8 as \xNN, for text that is quoted; `strip_control` leaves them out, for text that
// is read, such as the output of jobs. Knows how many columns a character takes, so that carets stand under
// what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
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
// A tab is one space.
std::string printable(std::string_view text);
// The same of several lines: their ends stay.
std::string printable_lines(std::string_view text);

enum class Colors : std::uint8_t { drop, keep };

// Without escape sequences and control characters but newline and tab; colours and other attributes of text
// (ESC [ ... m) may stay. A sequence without an end takes the rest of the text with it, so text of several
// lines is given line by line.
std::string strip_control(std::string_view text, Colors colors = Colors::drop);

// One line of it: newlines and tabs are blanks.
std::string one_line(std::string_view text);

}  // namespace weir
