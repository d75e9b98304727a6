// Rows of words under their titles, as wide as they have to be. A column without a word is left out.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

struct TableColumn {
  std::string title;
  bool right = false;  // numbers
};

// Nothing without rows. Each row has a word for each column.
std::string text_table(const std::vector<TableColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace weir::cli
