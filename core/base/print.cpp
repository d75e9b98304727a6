#include "core/base/print.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/printable.h"

namespace weir {

namespace {

int first_error = 0;  // of standard output; the main thread writes there, others to standard error

void note(std::FILE* out, bool good) {
  if (!good && out == stdout && first_error == 0) first_error = errno != 0 ? errno : EIO;
}

bool is_plain_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char byte) {
    return (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t';
  });
}

bool is_terminal(std::FILE* out) {
  static const bool kOut = ::isatty(STDOUT_FILENO) != 0, kErr = ::isatty(STDERR_FILENO) != 0;
  return out == stdout ? kOut : out == stderr && kErr;
}

}  // namespace

void write_text(std::FILE* out, std::string_view text) {
  // Most text is plain: then nothing is asked of the kernel.
  if (!is_plain_text(text) && is_terminal(out)) write_unfiltered(out, for_terminal(text));
  else write_unfiltered(out, text);
}

std::string for_terminal(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    clean += strip_control(text.substr(0, end), Colors::keep);
    // A sequence without an end took the line's own end with it.
    if (text[end - 1] == '\n' && !clean.ends_with('\n')) clean += '\n';
    text.remove_prefix(end);
  }
  return clean;
}

void write_unfiltered(std::FILE* out, std::string_view text) {
  errno = 0;
  note(out, std::fwrite(text.data(), 1, text.size(), out) == text.size());
}

int finish_output() {
  errno = 0;
  note(stdout, std::fflush(stdout) == 0);
  return first_error;
}

}  // namespace weir
