#include "core/cli/output_file.h"

#include <fcntl.h>

#include <cstdio>
#include <filesystem>

#include "core/base/fd.h"
#include "core/base/print.h"
#include "core/base/replace_file.h"

namespace weir::cli {

namespace {

Status write_to(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
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
  const auto there = std::filesystem::status(path, ignored).type();
  const bool plain =
      there == std::filesystem::file_type::not_found || there == std::filesystem::file_type::regular;
  return plain ? replace_file(path, text) : write_to(path, text);
}

}  // namespace weir::cli
