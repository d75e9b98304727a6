#include "core/report/plain.h"

#include <fmt/format.h>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/report/run_picture.h"
#include "core/report/terminal_text.h"

namespace weir {

namespace {

struct EventText {
  Volume volume;

  StyledLines operator()(const event::Diagnostic& diagnostic) const {
    return {{diagnostic.level == "note" ? Tone::plain : Tone::note,
             fmt::format("{}: {}", diagnostic.level, strip_control(diagnostic.message))}};
  }
  StyledLines operator()(const event::JobStart& start) const {
    if (volume == Volume::quiet) return {};
    const auto attempt = start.attempt > 1 ? fmt::format(" (attempt {})", start.attempt) : "";
    return {{Tone::plain, fmt::format("{:<9} {} {}{}", "start", start.queue, start.element, attempt)}};
  }
  StyledLines operator()(const event::JobRetry& retry) const {
    if (volume == Volume::quiet) return {};
    return {{Tone::note, fmt::format("{:<9} {} {} after {}: {}", "retry", retry.queue, retry.element,
                                     format_duration(from_seconds(retry.delay_ms / 1000)), retry.failure)}};
  }
  StyledLines operator()(const event::JobEnd& end) const {
    if (volume == Volume::quiet || end.result == "failed" || end.result == "skipped")
      return {};  // told of its element
    if (end.result != "succeeded")
      return {{Tone::note, fmt::format("{:<9} {} {}", end.result, end.queue, end.element)}};
    return {{Tone::good, fmt::format("{:<9} {} {} {}", "done", end.queue, end.element,
                                     format_duration(from_seconds(end.seconds)))}};
  }
  StyledLines operator()(const event::ElementState& state) const {
    // Who was not started, and why, is told at the end.
    if (volume != Volume::verbose || (state.status != "skip" && state.status != "blocked")) return {};
    const auto because = state.because.text.empty() ? "" : fmt::format(" ({})", state.because.text);
    return {{Tone::faint, fmt::format("{:<9} {} {}: {}{}", state.status, state.queue, state.element,
                                      state.reason.text, because)}};
  }
  StyledLines operator()(const event::JobWait& wait) const {
    if (volume != Volume::verbose) return {};
    return {{Tone::faint, fmt::format("{:<9} {} {} for {} {}", "wait", wait.queue, wait.element, wait.what,
                                      wait.name.text)}};
  }
  template <class Other>
  StyledLines operator()(const Other&) const {
    return {};
  }
};

}  // namespace

StyledLines progress_lines(const Event& event, Volume volume) {
  return std::visit(EventText{volume}, event.body);
}

void PlainReport::on_event(const Event& event) {
  failures_.on_event(event);
  totals_.on_event(event);
  write(progress_lines(event, options_.volume));
  if (const auto* failure = failures_.news()) write(failure_block(*failure, options_.failures));
  const auto* end = event.as<event::RunEnd>();
  if (end && (options_.volume != Volume::quiet || end->exit != 0)) write(summary_lines(totals_, failures_));
}

void PlainReport::write(const StyledLines& lines) {
  for (const auto& line : lines) weir::print(out_, "{}\n", options_.color ? with_color(line) : line.text);
}

}  // namespace weir
