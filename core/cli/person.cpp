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

// A terminal of somebody else has no foreground here.
bool in_foreground() {
  const auto foreground = ::tcgetpgrp(STDERR_FILENO);
  return foreground <= 0 || foreground == ::getpgrp();
}

// Of a terminal that is not weir's own no answer can be read.
bool person_is_there() {
  return ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO) && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

bool can_draw() {
  const auto terminal = environment("TERM");
  return ::isatty(STDERR_FILENO) && !terminal.empty() && terminal != "dumb";
}

bool wants_color(const Settings& settings) {
  if (settings.color.value == Color::automatic) return can_draw();
  return settings.color.value == Color::always;
}

namespace {

// Events would be written into the picture.
bool events_on_terminal(const RunRequest& request) {
  return request.events == "-" && ::isatty(STDOUT_FILENO);
}

}  // namespace

// NO_COLOR asks for text without any escape sequence; what weir says of itself would be written into the
// picture.
bool wants_display(const RunRequest& request, const Settings& settings) {
  if (request.quiet || !can_draw() || !in_foreground() || settings.ui.value == UiMode::plain) return false;
  if (events_on_terminal(request)) return false;
  return environment("NO_COLOR").empty() && environment("WEIR_LOG").empty();
}

}  // namespace weir::cli
