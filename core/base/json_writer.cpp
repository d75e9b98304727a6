#include "core/base/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/utf8.h"

namespace weir {

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  return raw(fmt::format("{}", number));
}

void JsonWriter::quote(std::string_view text) {
  out_.push_back('"');
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    std::size_t taken = 1;
    if (byte == '"' || byte == '\\') {
      out_.push_back('\\');
      out_.push_back(static_cast<char>(byte));
    } else if (byte == '\n') {
      out_.append("\\n");
    } else if (byte == '\t') {
      out_.append("\\t");
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", byte);
    } else if (byte < 0x80) {
      out_.push_back(static_cast<char>(byte));
    } else if (const auto length = utf8_sequence_length(text); length > 0) {
      out_.append(text.substr(0, length));
      taken = length;
    } else {
      out_.append("\xef\xbf\xbd");  // U+FFFD
    }
    text.remove_prefix(taken);
  }
  out_.push_back('"');
}

}  // namespace weir
