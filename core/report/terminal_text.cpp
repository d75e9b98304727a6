#include "core/report/terminal_text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <vector>

namespace weir {

namespace {

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
