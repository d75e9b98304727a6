#include "core/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/utf8.h"

namespace weir {

namespace {

struct Range {
  std::uint32_t first, last;
};
// Unicode's East Asian Wide and the emoji that terminals draw in two columns; blocks, not single characters.
constexpr std::array kWide = {Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x2e80, 0x303e},
                              Range{0x3041, 0xa4cf},   Range{0xa960, 0xa97f},   Range{0xac00, 0xd7a3},
                              Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},
                              Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f}, Range{0x1f680, 0x1f6ff},
                              Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};
// Marks that are drawn over the character before them.
constexpr std::array kCombining = {Range{0x0300, 0x036f}, Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff},
                                   Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}};
// Invisible, or they turn the direction of the text: a quoted line must not lie about what is in it.
constexpr std::array kHidden = {Range{0x0080, 0x009f},  Range{0x00ad, 0x00ad}, Range{0x061c, 0x061c},
                                Range{0x115f, 0x1160},  Range{0x180b, 0x180f}, Range{0x200b, 0x200f},
                                Range{0x2028, 0x202e},  Range{0x2060, 0x206f}, Range{0x2800, 0x2800},
                                Range{0x3164, 0x3164},  Range{0xfeff, 0xfeff}, Range{0xffa0, 0xffa0},
                                Range{0xe0000, 0xe0fff}};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, std::uint32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return r.first <= c && c <= r.last; });
}

std::uint32_t decode(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i]));
  };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t c = byte(0) & (0xffU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) c = c << 6 | (byte(i) & 0x3f);
  return c;
}

PrintableChar escaped(std::string text, std::size_t bytes) {
  const auto width = text.size();
  return {std::move(text), width, bytes};
}

// The length of the escape sequence at the start of `text`: ESC [ ... letter, ESC ] ... BEL or ESC \, ESC and
// one more.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    const auto end = text.find_first_not_of("0123456789;:<=>?!\"#$%&'()*+,-./ ", 2);
    return end == text.npos ? text.size() : end + 1;
  }
  if (text[1] == ']') {
    // One search for both: one for each would read to the end of the text for every sequence.
    auto at = text.find_first_of("\a\x1b", 2);
    while (at != text.npos && text[at] == '\x1b' && !text.substr(at).starts_with("\x1b\\"))
      at = text.find_first_of("\a\x1b", at + 1);
    return at == text.npos ? text.size() : text[at] == '\a' ? at + 1 : at + 2;
  }
  return 2;
}

// ESC [ 1 ; 3 1 m: colours, bold and the like.
bool is_color(std::string_view escape) {
  return escape.size() > 2 && escape[1] == '[' &&
         escape.find_first_not_of("0123456789;:", 2) == escape.size() - 1 && escape.back() == 'm';
}

}  // namespace

PrintableChar printable_char(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first == '\t') return {" ", 1, 1};
  if (first >= 0x20 && first < 0x7f) return {std::string(1, text.front()), 1, 1};
  const auto length = utf8_sequence_length(text);
  if (length <= 1) return escaped(fmt::format("\\x{:02x}", first), 1);
  const auto c = decode(text.substr(0, length));
  if (in(kHidden, c)) return escaped(fmt::format("\\u{{{:x}}}", c), length);
  const std::size_t width = in(kCombining, c) ? 0 : in(kWide, c) ? 2 : 1;
  return {std::string(text.substr(0, length)), width, length};
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto next = printable_char(text);
    shown += next.text;
    text.remove_prefix(next.bytes);
  }
  return shown;
}

std::string strip_control(std::string_view text, Colors colors) {
  std::string clean;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    std::size_t taken = 1;
    if (byte == 0x1b) {
      taken = escape_length(text);
      if (colors == Colors::keep && is_color(text.substr(0, taken))) clean.append(text.substr(0, taken));
    } else if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte < 0x7f)) {
      clean.push_back(text.front());
    } else if (const auto length = utf8_sequence_length(text); byte >= 0x80 && length > 0) {
      const bool c1_control = byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
      if (!c1_control) clean.append(text.substr(0, length));
      taken = length;
    } else if (byte >= 0x80) {
      clean.append("\xef\xbf\xbd");
    }
    text.remove_prefix(taken);
  }
  return clean;
}

std::string one_line(std::string_view text) {
  auto line = strip_control(text);
  for (auto& byte : line)
    if (byte == '\n' || byte == '\t') byte = ' ';
  return line;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t from = 0; from <= text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    out += printable(text.substr(from, end - from));
    if (end < text.size()) out += '\n';
    from = end + 1;
  }
  return out;
}

}  // namespace weir
