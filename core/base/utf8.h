// The length of the valid UTF-8 sequence at the start of `text`, or 0 if there is none (overlong forms,
// surrogates and values above U+10FFFF are not valid).
#pragma once

#include <cstddef>
#include <string_view>

namespace weir {

std::size_t utf8_sequence_length(std::string_view text);

// All of it is.
bool is_utf8(std::string_view text);

}  // namespace weir
