#include "core/cli/output_file.h"

#include <cstdio>

#include "core/base/fd.h"
#include "core/base/print.h"
#include "core/base/replace_file.h"

namespace weir::cli {

Status write_output(const std::string& path, std::string_view text) {
  if (path == "-") {
    write_text(stdout, text);
    return {};
  }
  return write_output_file(path, [&](int file) -> Status {
    if (!write_all(file, text)) return fail_errno("writing " + path);
    return {};
  });
}

}  // namespace weir::cli
