#include "core/base/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/utf8.h"

namespace weir {

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  return raw(fmt::format("{}", number));
}

namespace {

// How many bytes from the start stand for themselves: nearly always all of them, so they are taken at once.
std::size_t plain_length(std::string_view text) {
  const auto stands_for_itself = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
  };
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), stands_for_itself) - text.begin());
}

}  // namespace

void JsonWriter::quote(std::string_view text) {
  out_.push_back('"');
  while (true) {
    const auto plain = plain_length(text);
    out_.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
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
