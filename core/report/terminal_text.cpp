#include "core/report/terminal_text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "core/base/utf8.h"

namespace weir {

namespace {

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

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

// A character as people see it on a line: its bytes and its columns.
struct Cell {
  std::string_view bytes;
  std::size_t columns;
};

Cell first_cell(std::string_view text) {
  utf8proc_int32_t point = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &point);
  if (length <= 0) return {text.substr(0, 1), 1};
  return {text.substr(0, static_cast<std::size_t>(length)),
          static_cast<std::size_t>(std::max(0, utf8proc_charwidth(point)))};
}

std::vector<Cell> cells_of(std::string_view text) {
  std::vector<Cell> cells;
  while (!text.empty()) {
    cells.push_back(first_cell(text));
    text.remove_prefix(cells.back().bytes.size());
  }
  return cells;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char byte) { return byte >= 0x20 && byte < 0x7f; });
}

}  // namespace

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

std::size_t display_width(std::string_view text) {
  if (is_plain(text)) return text.size();
  std::size_t width = 0;
  for (const auto& cell : cells_of(text)) width += cell.columns;
  return width;
}

std::string fit(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string out;
  std::size_t width = 0;
  for (const auto& cell : cells_of(text)) {
    if (width + cell.columns > columns - 1) break;
    out += cell.bytes;
    width += cell.columns;
  }
  return out.append(kEllipsis);
}

std::string fit_end(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  const auto cells = cells_of(text);
  auto from = cells.size();
  for (std::size_t width = 0; from > 0 && width + cells[from - 1].columns <= columns - 1; --from)
    width += cells[from - 1].columns;
  while (from < cells.size() && cells[from].columns == 0) ++from;  // belongs to what was cut
  std::string out(kEllipsis);
  for (; from < cells.size(); ++from) out += cells[from].bytes;
  return out;
}

std::string pad(std::string_view text, std::size_t columns) {
  auto out = fit(text, columns);
  out.append(columns - display_width(out), ' ');
  return out;
}

std::string format_clock(Duration duration) {
  const auto whole =
      std::max<long long>(0, std::chrono::duration_cast<std::chrono::seconds>(duration).count());
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace weir
