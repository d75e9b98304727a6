#include "core/base/print.h"

#include <cerrno>

namespace weir {

namespace {

int first_error = 0;  // of standard output; the main thread writes there, others to standard error

void note(std::FILE* out, bool good) {
  if (!good && out == stdout && first_error == 0) first_error = errno != 0 ? errno : EIO;
}

}  // namespace

void write_text(std::FILE* out, std::string_view text) {
  errno = 0;
  note(out, std::fwrite(text.data(), 1, text.size(), out) == text.size());
}

int finish_output() {
  errno = 0;
  note(stdout, std::fflush(stdout) == 0);
  return first_error;
}

}  // namespace weir
