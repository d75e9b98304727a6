// The output of a job on its way to a terminal or a page: nothing in it may reach a terminal as a command,
// and no line may be lost in a way that makes the rest wider than it may be.
#include "core/base/utf8.h"
#include "core/report/error_place.h"
#include "core/report/log_excerpt.h"
#include "core/report/log_lines.h"
#include "core/report/log_tail.h"
#include "core/report/terminal_text.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

namespace {

bool is_clean(std::string_view text) {
  for (const unsigned char c : text)
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
  return is_utf8(text);
}

}  // namespace

WEIR_FUZZ_TARGET(log) {
  fuzz::Choices choices(input);
  const std::size_t columns = choices.byte() % 40;
  const std::size_t lines = choices.byte() % 8;
  const std::size_t most = choices.byte();
  const auto text = choices.rest();
  const auto clean = strip_control(text);
  WEIR_ASSERT(is_clean(clean), "not clean");
  WEIR_ASSERT(strip_control(clean) == clean, "what is clean is changed");
  WEIR_ASSERT(strip_control(strip_control(text, Colors::keep)) == clean, "colours make a difference");
  const auto line = one_line(text);
  WEIR_ASSERT(line.find('\n') == line.npos && line.find('\t') == line.npos, "not one line");
  WEIR_ASSERT(display_width(fit(line, columns)) <= columns, "too wide");
  WEIR_ASSERT(display_width(fit_end(line, columns)) <= columns, "too wide");
  WEIR_ASSERT(display_width(pad(line, columns)) == columns, "not as wide as it has to be");
  if (const auto place = error_place(line)) WEIR_ASSERT(!place->path.empty(), "an error in no file");
  (void)looks_like_error(line);

  // Logs are read in pieces of 64 KiB.
  std::string log(text);
  while (lines == 7 && !text.empty() && log.size() <= LogLines::kPiece + 1000) log += text;
  const auto path = fuzz::folder() + "/log";
  fuzz::write_file(path, log);
  const auto tail = read_log_tail(path, most);
  WEIR_ASSERT(tail.text.size() <= most && tail.bytes == log.size(), "{} bytes of a tail", tail.text.size());
  const auto excerpt = read_log_excerpt(path, lines);
  WEIR_ASSERT(excerpt.tail.size() <= lines, "{} lines", excerpt.tail.size());
  for (const auto& one : excerpt.tail) WEIR_ASSERT(is_clean(one), "not clean");
  WEIR_ASSERT(is_clean(excerpt.first_error), "not clean");
  for_each_clean_line(LogLines(path, columns), [](std::string_view one) {
    WEIR_ASSERT(is_clean(one) && one.find('\n') == one.npos, "not a clean line");
  });
}

}  // namespace weir
