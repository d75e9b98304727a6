#include "core/base/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
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

// Plain bytes stand for themselves in JSON: from 0x20 to 0x7e, but for quote and backslash.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}
bool are_8_plain(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  const auto low = (word - all(0x20)) & ~word & all(0x80);
  return ((word & all(0x80)) | low | zeros(word ^ all('"')) | zeros(word ^ all('\\')) |
          zeros(word ^ all(0x7f))) == 0;
}
bool are_16_plain(const char* bytes) {
  using Block = unsigned char __attribute__((vector_size(16)));
  Block block;
  std::memcpy(&block, bytes, sizeof block);
  const auto special = (block < 0x20) | (block >= 0x7f) | (block == '"') | (block == '\\');
  std::uint64_t halves[2];
  std::memcpy(halves, &special, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

// How many bytes from the start are plain: nearly always all of them, so they are taken at once. Recipes and
// events are texts of this kind, and quoting them was a tenth of what weir itself did for a small job.
std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  while (at + 16 <= text.size() && are_16_plain(text.data() + at)) at += 16;
  while (at + 8 <= text.size() && are_8_plain(text.data() + at)) at += 8;
  // The last word overlaps what was looked at already.
  if (at + 8 > text.size() && text.size() >= 8 && are_8_plain(text.data() + text.size() - 8))
    return text.size();
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  constexpr std::size_t kMost = 60;
  if (name.size() > kMost || plain_length(name) != name.size()) {
    separate();
    quote(name);
    out_.push_back(':');
  } else {
    char text[kMost + 4];
    char* end = text;
    if (!fresh_) *end++ = ',';
    *end++ = '"';
    end = std::copy(name.begin(), name.end(), end);
    *end++ = '"';
    *end++ = ':';
    out_.append(text, end);
  }
  fresh_ = true;
  return *this;
}

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
