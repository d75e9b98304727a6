#include "core/report/xml_text.h"

#include "core/base/utf8.h"

namespace weir {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// U+FFFE and U+FFFF are valid UTF-8, and no characters of XML.
bool is_no_character(std::string_view sequence) {
  return sequence == "\xef\xbf\xbe" || sequence == "\xef\xbf\xbf";
}

std::string_view of_ascii(const char& c, bool attribute) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";  // so that "]]>" never stands in a text
    case '"': return "&quot;";
    case '\'': return "&apos;";
    case '\r': return "&#13;";
    case '\n': return attribute ? "&#10;" : "\n";
    case '\t': return attribute ? "&#9;" : "\t";
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f ? kReplacement : std::string_view(&c, 1);
}

std::string escaped(std::string_view text, bool attribute) {
  std::string out;
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      out += of_ascii(text.front(), attribute);
      text.remove_prefix(1);
      continue;
    }
    const auto length = utf8_sequence_length(text);
    out += length == 0 || is_no_character(text.substr(0, length)) ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace

std::string xml_text(std::string_view text) { return escaped(text, false); }
std::string xml_attribute(std::string_view text) { return escaped(text, true); }

}  // namespace weir
