#include "core/project/diagnostic_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/printable.h"
#include "core/project/element_files.h"

namespace weir {

namespace {

// Columns of a line that are shown, and how many of them stand before the caret at least.
constexpr std::size_t kWindow = 96;
constexpr std::size_t kBeforeCaret = 48;

std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const auto end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (line == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

struct Excerpt {
  std::string text;
  std::size_t caret = 0;  // columns before it
};

// Two passes over the characters of the line: where the caret is, then the window around it.
Excerpt excerpt(std::string_view line, std::uint32_t column) {
  std::size_t caret = 0;
  auto rest = line;
  for (std::uint32_t i = 1; i < column && !rest.empty(); ++i) {
    const auto next = printable_char(rest);
    caret += next.width;
    rest.remove_prefix(next.bytes);
  }
  const std::size_t from = caret > kWindow - 8 ? caret - kBeforeCaret : 0;
  Excerpt result;
  std::size_t at = 0, skipped = 0;
  for (rest = line; !rest.empty() && at < from + kWindow;) {
    const auto next = printable_char(rest);
    if (at >= from) result.text += next.text;
    at += next.width;
    if (at <= from || result.text.empty()) skipped = at;
    rest.remove_prefix(next.bytes);
  }
  if (!rest.empty()) result.text += "...";
  if (from > 0) {
    result.text.insert(0, "...");
    skipped -= std::min<std::size_t>(skipped, 3);
  }
  result.caret = caret - std::min(skipped, caret);
  return result;
}

struct Paint {
  const char* strong = "";
  const char* red = "";
  const char* yellow = "";
  const char* green = "";
  const char* off = "";
};
Paint paint(const DiagnosticStyle& style) {
  if (!style.color) return {};
  return {"\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;32m", "\x1b[0m"};
}

// Of a project that came from a snapshot nothing was read.
std::string text_of(const SourceFile& file) { return read_file(file.path).value_or(""); }

void append_quote(std::string& out, Place place, const SourceFiles& files, const Paint& p) {
  if (!files.has(place.file) || place.line == 0) return;
  const auto& file = files[place.file];
  const auto read_now = file.text.empty() ? text_of(file) : std::string();
  const auto quote = excerpt(line_of(file.text.empty() ? read_now : file.text, place.line), place.column);
  if (quote.text.empty()) return;
  out += fmt::format("{:>5} | {}\n", place.line, quote.text);
  if (place.column != 0) out += fmt::format("      | {:{}}{}^{}\n", "", quote.caret, p.green, p.off);
}

void append_head(std::string& out, Place place, const SourceFiles& files, const Paint& p) {
  const auto where = to_text(place, files);
  if (!where.empty()) out += fmt::format("{}{}:{} ", p.strong, where, p.off);
}

}  // namespace

std::string to_text(Place place, const SourceFiles& files) {
  if (!files.has(place.file)) return {};
  const auto path = printable(files[place.file].path);
  return place.line == 0 ? path : fmt::format("{}:{}:{}", path, place.line, place.column);
}

std::string to_text(const Diagnostic& diagnostic, const SourceFiles& files, const DiagnosticStyle& style) {
  const auto p = paint(style);
  const bool is_error = diagnostic.severity == Severity::error;
  std::string out;
  append_head(out, diagnostic.place, files, p);
  out += fmt::format("{}{}:{} {}\n", is_error ? p.red : p.yellow, is_error ? "error" : "warning", p.off,
                     printable_lines(diagnostic.message));
  append_quote(out, diagnostic.place, files, p);
  for (const auto& note : diagnostic.notes) {
    out += "  ";
    append_head(out, note.place, files, p);
    out += fmt::format("{}\n", printable_lines(note.message));
    append_quote(out, note.place, files, p);
  }
  if (!diagnostic.hint.empty()) out += fmt::format("  {}\n", printable_lines(diagnostic.hint));
  return out;
}

std::string to_text(const Diagnostics& diagnostics, const SourceFiles& files, const DiagnosticStyle& style) {
  std::string out;
  std::size_t errors = 0, warnings = 0;
  const auto room_for_warnings = style.at_most - std::min(style.at_most, diagnostics.errors());
  for (const auto& diagnostic : diagnostics.all()) {
    const bool is_error = diagnostic.severity == Severity::error;
    if (is_error ? errors >= style.at_most : warnings >= room_for_warnings) continue;
    ++(is_error ? errors : warnings);
    out += to_text(diagnostic, files, style);
  }
  if (diagnostics.errors() > errors) out += fmt::format("+{} more errors\n", diagnostics.errors() - errors);
  if (diagnostics.warnings() > warnings)
    out += fmt::format("+{} more warnings\n", diagnostics.warnings() - warnings);
  if (diagnostics.errors() > 1) out += fmt::format("{} errors; nothing was run\n", diagnostics.errors());
  return out;
}

}  // namespace weir
