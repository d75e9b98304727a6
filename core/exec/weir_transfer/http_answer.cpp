#include "core/exec/weir_transfer/http_answer.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

namespace weir::transfer {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

bool can_be_validator(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

void HttpAnswer::read_line(std::string_view line, std::string& location) {
  if (line.starts_with("HTTP/")) *this = {};
  const auto colon = line.find(':');
  if (colon == line.npos) return;
  const auto is = [&](std::string_view name) {
    return name.size() == colon && ::strncasecmp(name.data(), line.data(), colon) == 0;
  };
  std::string value(trim(line.substr(colon + 1)));
  if (is("etag")) etag = std::move(value);
  else if (is("last-modified")) last_modified = std::move(value);
  else if (is("content-range")) content_range = std::move(value);
  else if (is("location")) location = std::move(value);
}

std::string HttpAnswer::validator() const {
  const auto& text = etag.empty() ? last_modified : etag;
  const bool weak = !etag.empty() && !etag.starts_with('"');
  return weak || !can_be_validator(text) ? std::string() : text;
}

std::optional<HttpAnswer::Range> HttpAnswer::range() const {
  constexpr std::string_view kUnit = "bytes ";
  const auto slash = content_range.find('/');
  if (!content_range.starts_with(kUnit) || slash == content_range.npos) return std::nullopt;
  const char* last = content_range.data() + content_range.size();
  Range range;
  const auto begin = std::from_chars(content_range.data() + kUnit.size(), last, range.begin);
  const auto whole = std::from_chars(content_range.data() + slash + 1, last, range.whole);
  const bool good =
      begin.ec == std::errc() && *begin.ptr == '-' && whole.ec == std::errc() && whole.ptr == last;
  return good ? std::optional(range) : std::nullopt;
}

}  // namespace weir::transfer
