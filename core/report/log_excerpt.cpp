#include "core/report/log_excerpt.h"

#include <algorithm>
#include <cctype>
#include <deque>

#include "core/report/log_lines.h"
#include "core/report/terminal_text.h"

namespace weir {

namespace {

constexpr std::size_t kSearched = 64 * 1024 * 1024;
constexpr std::size_t kLongestLine = 2000;  // columns are cut elsewhere; this is for a log without newlines

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Where `word` (in small letters) begins, with no letter, digit or underscore on either side and no dash before it.
std::size_t find_word(std::string_view line, std::string_view word, std::size_t from) {
  for (; from + word.size() <= line.size(); ++from) {
    const auto part = line.substr(from, word.size());
    if (!std::equal(part.begin(), part.end(), word.begin(), [](char a, char b) { return lower(a) == b; })) continue;
    const bool open = from == 0 || (!is_word(line[from - 1]) && line[from - 1] != '-');
    const auto end = from + word.size();
    if (open && (end == line.size() || !is_word(line[end]))) return from;
  }
  return line.npos;
}

bool has_word(std::string_view line, std::string_view word) { return find_word(line, word, 0) != line.npos; }

// The word alone is in many harmless lines; behind it stands a colon, a code or what is wrong.
bool names_error(std::string_view line) {
  for (auto at = find_word(line, "error", 0); at != line.npos; at = find_word(line, "error", at + 1)) {
    const auto rest = line.substr(at + 5);
    if (rest.starts_with(':') || rest.starts_with('[') || rest.starts_with(" [") || rest.starts_with('(')) return true;
    if (rest.size() > 1 && rest[0] == ' ' && std::isdigit(static_cast<unsigned char>(rest[1]))) return true;
    if (at == 0 || line.substr(0, at).ends_with(": ") || line.substr(0, at).ends_with("internal ") || line.substr(0, at).ends_with("CMake ")) return true;
  }
  return false;
}

constexpr std::string_view kPhrases[] = {"undefined reference to", "No such file or directory", "command not found",
                                         "cannot find",  "Permission denied", "Segmentation fault",
                                         "Traceback (most recent call last)", "Assertion `", "No rule to make target",
                                         "multiple definition of", "*** ["};

}  // namespace

bool looks_like_error(std::string_view line) {
  if (names_error(line) || has_word(line, "fatal") || has_word(line, "panic")) return true;
  if (has_word(line, "failed") && (line.starts_with("FAILED") || line.find("FAILED:") != line.npos || line.find("failed:") != line.npos)) return true;
  return std::any_of(std::begin(kPhrases), std::end(kPhrases), [&](std::string_view phrase) { return line.find(phrase) != line.npos; });
}

LogExcerpt read_log_excerpt(const std::string& path, std::size_t tail_lines) {
  LogExcerpt excerpt;
  std::deque<std::string> tail;
  std::size_t searched = 0;
  LogLines lines(path);
  while (lines.next()) {
    searched += lines.line().size();
    if (lines.continues()) continue;
    ++excerpt.lines;
    auto line = lines.line();
    if (line.size() > kLongestLine) line.resize(kLongestLine);
    // What a progress bar wrote over itself is not there any more.
    if (const auto back = line.find_last_of('\r', line.size() < 2 ? 0 : line.size() - 2); back != line.npos && back + 1 < line.size()) line.erase(0, back + 1);
    if (excerpt.error_line == 0 && searched < kSearched && looks_like_error(line)) {
      excerpt.first_error = one_line(line);
      excerpt.error_line = excerpt.lines;
    }
    tail.push_back(std::move(line));
    if (tail.size() > tail_lines) tail.pop_front();
  }
  for (const auto& line : tail) excerpt.tail.push_back(one_line(line));
  return excerpt;
}

}  // namespace weir
