#include "core/cli/person.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace weir::cli {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

bool in_foreground() { return ::tcgetpgrp(STDERR_FILENO) == ::getpgrp(); }

bool person_is_there() { return ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO) && in_foreground(); }

bool can_draw() {
  const auto terminal = environment("TERM");
  return ::isatty(STDERR_FILENO) && !terminal.empty() && terminal != "dumb";
}

bool wants_color(const Settings& settings) {
  if (settings.color.value == Color::automatic) return can_draw();
  return settings.color.value == Color::always;
}

// NO_COLOR asks for text without any escape sequence; what weir says of itself would be written into the picture.
bool wants_display(const RunRequest& request, const Settings& settings) {
  if (request.quiet || !can_draw() || !in_foreground() || settings.ui.value == UiMode::plain) return false;
  return environment("NO_COLOR").empty() && environment("WEIR_LOG").empty();
}

}  // namespace weir::cli
