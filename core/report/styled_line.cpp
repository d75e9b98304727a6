#include "core/report/styled_line.h"

namespace weir {

const char* tone_begin(Tone tone) {
  switch (tone) {
    case Tone::good: return "\x1b[32m";
    case Tone::bad: return "\x1b[1;31m";
    case Tone::note: return "\x1b[33m";
    case Tone::faint: return "\x1b[2m";
    case Tone::strong: return "\x1b[1m";
    case Tone::plain: break;
  }
  return "";
}

std::string with_color(const StyledLine& line) {
  if (line.tone == Tone::plain || line.text.empty()) return line.text;
  return tone_begin(line.tone) + line.text + kToneEnd;
}

}  // namespace weir
