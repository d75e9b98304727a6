#include "core/cli/toml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"

namespace weir::cli {

namespace {

bool is_bare(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') out.append("\\").push_back(static_cast<char>(c));
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c < 0x20 || c == 0x7f) out += fmt::format("\\u{:04X}", c);
    else out += static_cast<char>(c);
  }
  return out + "\"";
}

std::string toml_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_bare) ? std::string(text)
                                                                         : toml_string(text);
}

std::string toml_array(std::span<const std::string> texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : ", ") + toml_string(text);
  return "[" + out + "]";
}

std::string without_variables(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "%{") out += '%';
    out += text[i];
  }
  return out;
}

}  // namespace weir::cli
