#include "core/base/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "core/base/utf8.h"

namespace weir {

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  return raw(fmt::format("{}", number));
}

namespace {

constexpr std::uint64_t all(unsigned char byte) { return 0x0101010101010101ULL * byte; }
// A high bit where there is a zero byte, and only then any.
constexpr std::uint64_t zeros(std::uint64_t word) { return (word - all(1)) & ~word & all(0x80); }

// Eight bytes that stand for themselves in JSON: from 0x20 to 0x7e, but for quote and backslash.
bool are_plain(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  const auto low = (word - all(0x20)) & ~word & all(0x80);
  return ((word & all(0x80)) | low | zeros(word ^ all('"')) | zeros(word ^ all('\\')) |
          zeros(word ^ all(0x7f))) == 0;
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

// How many bytes from the start stand for themselves: nearly always all of them, so they are taken at once.
// Recipes and events are texts of this kind, and this was a tenth of what weir itself did for a small job.
std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  while (at + 8 <= text.size() && are_plain(text.data() + at)) at += 8;
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
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
