// Text of others in Markdown: it stays text.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// In a paragraph, a list or a cell of a table: one line, and nothing in it means anything.
std::string markdown_text(std::string_view text);
// As a block of code, with a fence that is longer than any in it.
std::string markdown_code(std::string_view text);

}  // namespace weir
