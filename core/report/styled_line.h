// A line for people, with the part that it plays: a terminal gives it a colour, a log does not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

enum class Tone : std::uint8_t { plain, good, bad, note, faint, strong };

struct StyledLine {
  Tone tone = Tone::plain;
  std::string text;
};
using StyledLines = std::vector<StyledLine>;

// The escape sequences around the text; empty for a plain one.
const char* tone_begin(Tone tone);
inline constexpr const char* kToneEnd = "\x1b[0m";

std::string with_color(const StyledLine& line);

}  // namespace weir
