#include "plugins/sources/url.h"

#include <algorithm>

namespace weir::kinds {

namespace {

bool is_scheme(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string without_percent(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    plain += coded ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return plain;
}

}  // namespace

std::string_view scheme_of(std::string_view url) {
  const auto colon = url.find(':');
  if (colon == url.npos || !is_scheme(url.substr(0, colon))) return {};
  const bool full = url.substr(colon).starts_with("://") || url.starts_with("file:");
  return full ? url.substr(0, colon) : std::string_view();
}

std::string read_url(ConfigReader& reader, std::span<const std::string_view> schemes) {
  auto url =
      reader.required_text("url", "say where it comes from, as in url = \"https://example.org/a.tar.gz\"");
  const auto scheme = scheme_of(url);
  if (!scheme.empty() && std::find(schemes.begin(), schemes.end(), scheme) == schemes.end())
    reader.complain(
        "url", "a URL with \"" + std::string(scheme) + ":\" cannot be used here",
        "use " + joined({schemes.begin(), schemes.end()}, ":, ") + ": or a path relative to the project");
  // "ext::sh -c ..": git would run a program of that name.
  if (const auto colon = url.find(':'); colon < url.find('/') && url.substr(colon).starts_with("::"))
    reader.complain("url", "a URL with \"" + url.substr(0, colon) + "::\" cannot be used here",
                    "use a URL that needs no helper program");
  if (url.find('\0') != url.npos) reader.complain("url", "the URL holds a NUL byte");
  return url;
}

std::string file_name_of(std::string_view url) {
  if (scheme_of(url).starts_with("http")) url = url.substr(0, url.find_first_of("?#"));
  while (url.ends_with('/')) url.remove_suffix(1);
  const auto name = url.substr(url.rfind('/') + 1);
  if (scheme_of(url).empty()) return std::string(name);
  auto plain = without_percent(name);
  const bool is_name = plain.find_first_of(std::string_view("/\0", 2)) == plain.npos;
  return is_name ? plain : std::string(name);
}

void check_hex(std::string_view ref, std::size_t digits, std::string_view what) {
  const auto good = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (ref.size() != digits || !std::all_of(ref.begin(), ref.end(), good))
    throw Refused{in_quotes(ref) + " is not " + std::string(what), {}};
}

}  // namespace weir::kinds
