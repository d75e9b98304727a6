// Text for terminals that is no wider than it may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/printable.h"

namespace weir {

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
