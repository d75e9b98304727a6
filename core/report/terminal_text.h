// Text for terminals: nothing of a job reaches one unfiltered, and nothing is wider than it may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/clock.h"

namespace weir {

enum class Colors : std::uint8_t { drop, keep };

// Without escape sequences and control characters but newline and tab; colours and other attributes of text
// may stay.
std::string strip_control(std::string_view text, Colors colors = Colors::drop);

// One line of it: newlines and tabs are blanks.
std::string one_line(std::string_view text);

// How many columns it takes: wide characters take two, combining ones none. For text without escape
// sequences.
std::size_t display_width(std::string_view text);

// At most so many columns; what is cut ends in an ellipsis.
std::string fit(std::string_view text, std::size_t columns);
// The same from the other side: of a path the end tells more.
std::string fit_end(std::string_view text, std::size_t columns);
// Exactly so many: cut, or filled with blanks.
std::string pad(std::string_view text, std::size_t columns);

// "0:07", "12:34", "1:02:03".
std::string format_clock(Duration duration);

}  // namespace weir
