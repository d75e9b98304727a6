#include "core/cli/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::cli {

std::string text_table(const std::vector<TableColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> lines(rows.size() + 1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, row[i].size());
    if (longest == 0) continue;
    const auto width = std::max(longest, columns[i].title.size());
    const auto put = [&](std::string& line, const std::string& word) {
      if (!line.empty()) line += "  ";
      line += columns[i].right ? fmt::format("{:>{}}", word, width) : fmt::format("{:<{}}", word, width);
    };
    put(lines[0], columns[i].title);
    for (std::size_t row = 0; row < rows.size(); ++row) put(lines[row + 1], rows[row][i]);
  }
  if (rows.empty()) return {};
  std::string text;
  for (auto& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace weir::cli
