#include "core/cli/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "core/base/fd.h"
#include "core/base/print.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

Status write_to(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return fail_errno("opening " + path);
  if (!write_all(file.get(), text)) return fail_errno("writing " + path);
  return {};
}

}  // namespace

Status write_output(const std::string& path, std::string_view text) {
  if (path == "-") {
    write_text(stdout, text);
    return {};
  }
  std::error_code ignored;
  const auto there = fs::symlink_status(path, ignored).type();
  if (there != fs::file_type::not_found && there != fs::file_type::regular) return write_to(path, text);
  const auto temporary = path + ".part";
  auto written = write_to(temporary, text);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = fail_errno("writing " + path);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace weir::cli
