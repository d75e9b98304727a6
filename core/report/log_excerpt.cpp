#include "core/report/log_excerpt.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>

#include "core/report/log_lines.h"
#include "core/report/terminal_text.h"

namespace weir {

namespace {

// Read on the loop's thread, which has other things to do: 4 MiB take some 20 ms.
constexpr std::uint64_t kSearched = 4 * 1024 * 1024, kTail = 256 * 1024;
constexpr std::size_t kLongestLine = 500;  // six rows of a terminal: for a log without newlines

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Where `word` (in small letters) begins, with no letter, digit or underscore on either side and no dash
// before it.
std::size_t find_word(std::string_view line, std::string_view word, std::size_t from) {
  for (; from + word.size() <= line.size(); ++from) {
    const auto part = line.substr(from, word.size());
    if (!std::equal(part.begin(), part.end(), word.begin(), [](char a, char b) { return lower(a) == b; }))
      continue;
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
    if (rest.starts_with(':') || rest.starts_with('[') || rest.starts_with(" [") || rest.starts_with('('))
      return true;
    if (rest.size() > 1 && rest[0] == ' ' && std::isdigit(static_cast<unsigned char>(rest[1]))) return true;
    if (at == 0 || line.substr(0, at).ends_with(": ") || line.substr(0, at).ends_with("internal ") ||
        line.substr(0, at).ends_with("CMake "))
      return true;
  }
  return false;
}

constexpr std::string_view kPhrases[] = {"undefined reference to",
                                         "No such file or directory",
                                         "command not found",
                                         "cannot find",
                                         "Permission denied",
                                         "Segmentation fault",
                                         "Traceback (most recent call last)",
                                         "Assertion `",
                                         "No rule to make target",
                                         "multiple definition of",
                                         "*** ["};

}  // namespace

bool looks_like_error(std::string_view line) {
  if (names_error(line) || has_word(line, "fatal") || has_word(line, "panic")) return true;
  if (has_word(line, "failed") &&
      (line.starts_with("FAILED") || line.find("FAILED:") != line.npos || line.find("failed:") != line.npos))
    return true;
  return std::any_of(std::begin(kPhrases), std::end(kPhrases),
                     [&](std::string_view phrase) { return line.find(phrase) != line.npos; });
}

namespace {

std::string shown(std::string line) {
  if (line.size() > kLongestLine) line.resize(kLongestLine);
  // What a progress bar wrote over itself is not there any more.
  if (const auto back = line.find_last_of('\r', line.size() < 2 ? 0 : line.size() - 2);
      back != line.npos && back + 1 < line.size())
    line.erase(0, back + 1);
  return line;
}

class Excerpt {
 public:
  explicit Excerpt(std::size_t tail_lines) : tail_lines_(tail_lines) {}

  void read(LogLines lines, bool search) {
    while (lines.next()) {
      if (lines.continues()) continue;
      ++excerpt_.lines;
      auto line = shown(lines.line());
      if (search && excerpt_.error_line == 0 && looks_like_error(line)) {
        excerpt_.first_error = one_line(line);
        excerpt_.error_line = excerpt_.lines;
      }
      tail_.push_back(std::move(line));
      if (tail_.size() > tail_lines_) tail_.pop_front();
    }
  }
  // What lies between was not read.
  void skip() {
    tail_.clear();
    excerpt_.counted = false;
  }
  LogExcerpt take() {
    for (const auto& line : tail_) excerpt_.tail.push_back(one_line(line));
    return std::move(excerpt_);
  }

 private:
  std::size_t tail_lines_;
  LogExcerpt excerpt_;
  std::deque<std::string> tail_;
};

}  // namespace

LogExcerpt read_log_excerpt(const std::string& path, std::size_t tail_lines) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  Excerpt excerpt(tail_lines);
  if (none || size <= kSearched + kTail) {
    excerpt.read(LogLines(path), true);
  } else {
    excerpt.read(LogLines(path, 0, kSearched), true);
    excerpt.skip();
    excerpt.read(LogLines(path, size - kTail), false);
  }
  return excerpt.take();
}

}  // namespace weir
