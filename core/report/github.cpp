#include "core/report/github.h"

#include <fmt/format.h>

#include "core/report/error_place.h"
#include "core/report/failure_text.h"
#include "core/report/log_excerpt.h"
#include "core/report/terminal_text.h"

namespace weir {

namespace {

std::string escaped(std::string_view text, std::string_view these) {
  std::string out;
  for (const char c : text) {
    if (these.find(c) == these.npos) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

std::string github_message(std::string_view text) { return escaped(text, "%\r\n"); }
std::string github_property(std::string_view text) { return escaped(text, "%\r\n:,"); }

std::string GithubHost::fold_begin(WallTime) { return "::group::weir: progress\n"; }
std::string GithubHost::fold_end(WallTime) { return "::endgroup::\n"; }

std::string GithubHost::text_begin() {
  stopped_with_ = token_();
  return fmt::format("::stop-commands::{}\n", stopped_with_);
}

std::string GithubHost::text_end() { return fmt::format("::{}::\n", stopped_with_); }

std::string GithubHost::failure(const FailedElement& failure, const std::string& log) {
  const auto first_error = log.empty() ? std::string() : read_log_excerpt(log, 0).first_error;
  std::string place;
  if (const auto named = error_place(first_error)) {
    if (const auto file = find_file_(failure.element, named->path)) {
      place = fmt::format("file={},line={},", github_property(*file), named->line);
      if (named->column > 0) place += fmt::format("col={},", named->column);
    }
  }
  const auto title = one_line(fmt::format("{} {} failed", failure.queue, failure.element));
  const auto headline = one_line(failure_headline(failure));
  const auto message = first_error.empty() ? headline : first_error + "\n" + headline;
  return fmt::format("::error {}title={}::{}\n", place, github_property(title), github_message(message));
}

std::string GithubHost::warning(std::string_view message) {
  return fmt::format("::warning title=weir::{}\n", github_message(strip_control(message)));
}

}  // namespace weir
