#include "core/cli/tell.h"

#include <fmt/format.h>

#include <set>

#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/cli/exit_codes.h"
#include "core/project/diagnostic_text.h"

namespace weir::cli {

int tell(const Error& error) {
  // Names, paths and URLs of a project are in it, as it wrote them.
  weir::print(stderr, "weir: {}\n", printable_lines(error.message));
  if (!error.remedy.empty()) weir::print(stderr, "  {}\n", printable_lines(error.remedy));
  return exit_code_of(error);
}

int tell(const Diagnostics& diagnostics, const SourceFiles& files) {
  weir::print(stderr, "{}", to_text(diagnostics, files));
  return kUsage;
}

Error to_error(const Diagnostics& diagnostics, const SourceFiles& files) {
  Error error{Reason::project, {}, {}};
  const auto add = [](std::string& text, std::string_view line) {
    text += fmt::format("{}{}", text.empty() ? "" : "\n", line);
  };
  std::size_t told = 0;
  std::set<std::string_view> hints;
  for (const auto& one : diagnostics.all()) {
    if (one.severity != Severity::error || told == DiagnosticStyle().at_most) continue;
    ++told;
    const auto place = to_text(one.place, files);
    add(error.message, place.empty() ? one.message : fmt::format("{}: {}", place, one.message));
    if (!one.hint.empty() && hints.insert(one.hint).second) add(error.remedy, one.hint);
  }
  if (diagnostics.errors() > told)
    add(error.message, fmt::format("+{} more errors", diagnostics.errors() - told));
  return error;
}

}  // namespace weir::cli
