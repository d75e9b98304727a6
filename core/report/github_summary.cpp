#include "core/report/github_summary.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "core/base/fd.h"
#include "core/base/log.h"
#include "core/base/owned_path.h"
#include "core/base/text.h"
#include "core/report/log_excerpt.h"
#include "core/report/markdown.h"
#include "core/report/run_picture.h"

namespace weir {

namespace {

// GitHub takes a mebibyte from a step, and nothing at all of more; other programs of the step write there
// too.
constexpr std::size_t kRoom = 512 * 1024;
constexpr std::size_t kSummaryLogLines = 20;
constexpr std::size_t kPathEntries = 30;

std::string failure_text(const FailedElement& failure, const FailureStyle& style) {
  auto text = fmt::format("#### {}\n\n", markdown_text(failure_headline(failure)));
  if (!failure.job) return text;
  const auto excerpt = read_log_excerpt(log_path(failure, style), kSummaryLogLines);
  if (excerpt.error_line > 0) text += markdown_code(excerpt.first_error) + "\n";
  if (excerpt.lines == 0) return text + "It wrote nothing.\n\n";
  std::string tail;
  for (const auto& line : excerpt.tail) tail += line + "\n";
  text += excerpt.all() ? "All that it wrote:\n\n"
                        : fmt::format("The last {} of {} lines:\n\n", excerpt.tail.size(), excerpt.lines);
  return text + markdown_code(tail) + "\n";
}

}  // namespace

void GithubSummary::on_event(const Event& event) {
  record_.on_event(event);
  failures_.on_event(event);
  totals_.on_event(event);
  if (!event.as<event::RunEnd>()) return;
  const auto file = open_output(file_, O_WRONLY | O_APPEND | O_CREAT);
  // A summary that cannot be written is no reason to fail a build that went well.
  if (!file || !write_all(file->get(), text()))
    log_warn("the step summary could not be written to {}", file_);
}

std::string GithubSummary::text() const {
  std::string arguments;
  for (const auto& word : record_.run().arguments) arguments += " " + word;
  auto text = fmt::format("### {}: weir{} {}\n\n", markdown_text(record_.run().project),
                          markdown_text(arguments), markdown_text(totals_.result()));
  text += "| | |\n| --- | ---: |\n";
  for (const auto& [count, what] : totals_.all_counts())
    if (count > 0) text += fmt::format("| {} | {} |\n", markdown_text(what), count);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("| {} | {} |\n", name, markdown_text(value));
  };
  row("time", format_duration(from_seconds(totals_.seconds())));
  row("critical path", format_duration(from_seconds(totals_.critical_path())));
  if (totals_.cores() > 0)
    row("cores busy", fmt::format("{:.0f} % of {}", totals_.efficiency() * 100, totals_.cores()));
  if (totals_.peak_bytes() > 0)
    row("largest job", fmt::format("{} ({})", format_bytes(totals_.peak_bytes()), totals_.largest()));
  return text + "\n" + failures() + critical_path();
}

std::string GithubSummary::failures() const {
  std::string text;
  std::size_t told = 0;
  for (const auto& failure : failures_.all()) {
    const auto one = failure_text(failure, style_);
    if (text.size() + one.size() > kRoom) break;
    text += one;
    ++told;
  }
  if (told < failures_.all().size())
    text += fmt::format("And {} more failures: see the log.\n\n", failures_.all().size() - told);
  for (const auto& lost : failures_.not_started()) {
    const auto because = lost.because.empty() ? std::string() : fmt::format(" ({})", lost.because);
    text += fmt::format("- {} not started: {}\n", lost.count, markdown_text(lost.reason + because));
  }
  return failures_.not_started().empty() ? text : text + "\n";
}

std::string GithubSummary::critical_path() const {
  std::string text;
  std::size_t told = 0;
  for (const auto& job : record_.jobs()) {
    if (!job.critical || ++told > kPathEntries) continue;
    text += fmt::format("1. {} {}\n", markdown_text(job.queue + " " + job.element),
                        format_duration(from_seconds(job.seconds)));
  }
  if (text.empty()) return {};
  if (told > kPathEntries) text += fmt::format("\nand {} more\n", told - kPathEntries);
  return "#### Critical path\n\n" + text + "\n";
}

}  // namespace weir
