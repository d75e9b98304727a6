#include "core/report/plain.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

namespace weir {

namespace {

constexpr std::size_t kQuotedLines = 20;
constexpr std::streamoff kQuotedBytes = 16 * 1024;

Duration from_seconds(double seconds) { return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)); }

// The length of the escape sequence at the start of `text`: ESC [ ... letter, ESC ] ... BEL or ESC \, ESC and one more.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    const auto end = text.find_first_not_of("0123456789;:<=>?!\"#$%&'()*+,-./ ", 2);
    return end == text.npos ? text.size() : end + 1;
  }
  if (text[1] == ']') {
    const auto bell = text.find('\a', 2), string_end = text.find("\x1b\\", 2);
    if (bell == text.npos && string_end == text.npos) return text.size();
    return bell < string_end ? bell + 1 : string_end + 2;
  }
  return 2;
}

// ESC [ 1 ; 3 1 m: colours, bold and the like.
bool is_color(std::string_view escape) {
  return escape.size() > 2 && escape[1] == '[' && escape.find_first_not_of("0123456789;:", 2) == escape.size() - 1 &&
         escape.back() == 'm';
}

std::string tail_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(size > kQuotedBytes ? size - kQuotedBytes : 0);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::size_t from = text.size();
  for (std::size_t lines = 0; from > 0; --from)
    if (text[from - 1] == '\n' && from != text.size() && ++lines == kQuotedLines) break;
  return text.substr(from);
}

}  // namespace

std::string strip_control(std::string_view text, Colors colors) {
  std::string clean;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    std::size_t taken = 1;
    if (byte == 0x1b) {
      taken = escape_length(text);
      if (colors == Colors::keep && is_color(text.substr(0, taken))) clean.append(text.substr(0, taken));
    } else if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte < 0x7f)) {
      clean.push_back(text.front());
    } else if (const auto length = utf8_sequence_length(text); byte >= 0x80 && length > 0) {
      const bool c1_control = byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
      if (!c1_control) clean.append(text.substr(0, length));
      taken = length;
    } else if (byte >= 0x80) {
      clean.append("\xef\xbf\xbd");
    }
    text.remove_prefix(taken);
  }
  return clean;
}

void PlainReport::on_event(const Event& event) {
  if (const auto* end = event.as<event::JobEnd>()) {
    on_end(*end);
  } else if (const auto* run_end = event.as<event::RunEnd>()) {
    on_run_end(*run_end);
  } else if (const auto* diagnostic = event.as<event::Diagnostic>()) {
    weir::print(out_, "{}: {}\n", diagnostic->level, strip_control(diagnostic->message));
  } else if (const auto* lost = event.as<event::ElementState>(); lost && lost->status == "failed") {
    // Without a job that failed, the reason is all there is to say.
    if (!lost->reason.text.empty()) weir::print(out_, "{:<9} {} {}: {}\n", "FAILED", lost->queue, lost->element, lost->reason.text);
  } else if (options_.volume == Volume::quiet) {
    return;
  } else if (const auto* start = event.as<event::JobStart>()) {
    const auto attempt = start->attempt > 1 ? fmt::format(" (attempt {})", start->attempt) : "";
    weir::print(out_, "{:<9} {} {}{}\n", "start", start->queue, start->element, attempt);
  } else if (const auto* retry = event.as<event::JobRetry>()) {
    weir::print(out_, "{:<9} {} {} after {}: {}\n", "retry", retry->queue, retry->element,
               format_duration(from_seconds(retry->delay_ms / 1000)), retry->failure);
  } else if (const auto* state = event.as<event::ElementState>()) {
    on_state(*state);
  } else if (const auto* wait = event.as<event::JobWait>(); wait && options_.volume == Volume::verbose) {
    weir::print(out_, "{:<9} {} {} for {} {}\n", "wait", wait->queue, wait->element, wait->what, wait->name.text);
  }
}

void PlainReport::on_end(const event::JobEnd& end) {
  if (end.result == "succeeded") {
    constexpr std::string_view kCounted[] = {"track", "pull", "fetch", "build", "push"};  // by the end of the run
    if (std::find(std::begin(kCounted), std::end(kCounted), end.queue) == std::end(kCounted)) ++done_elsewhere_[std::string(end.queue)];
    if (options_.volume == Volume::quiet) return;
    weir::print(out_, "{:<9} {} {} {}\n", "done", end.queue, end.element, format_duration(from_seconds(end.seconds)));
  } else if (end.result == "failed") {
    const auto exit = end.exit ? fmt::format(", exit {}", *end.exit) : "";
    weir::print(out_, "{:<9} {} {} {} ({}{})\n", "FAILED", end.queue, end.element, format_duration(from_seconds(end.seconds)),
               end.failure.text, exit);
    if (!end.evidence.text.empty()) weir::print(out_, "          {}\n", strip_control(end.evidence.text));
    quote_log(end.job);
  } else if (options_.volume != Volume::quiet && end.result != "skipped") {  // why it never ran is told of its element
    weir::print(out_, "{:<9} {} {}\n", end.result, end.queue, end.element);
  }
}

void PlainReport::quote_log(std::uint64_t job) {
  const auto path = fmt::format("{}/{}.log", options_.log_directory, job);
  const auto tail = strip_control(tail_of(path));
  if (tail.empty()) return;
  for (std::size_t from = 0; from < tail.size();) {
    const auto end = std::min(tail.find('\n', from), tail.size());
    weir::print(out_, "        | {}\n", std::string_view(tail).substr(from, end - from));
    from = end + 1;
  }
  weir::print(out_, "        log: {}\n", path);
}

void PlainReport::on_state(const event::ElementState& state) {
  const bool always = state.status == "blocked";
  const bool skipped = state.status == "skip" && options_.volume == Volume::verbose;
  if (!always && !skipped) return;
  const auto because = state.because.text.empty() ? "" : fmt::format(" ({})", state.because.text);
  weir::print(out_, "{:<9} {} {}: {}{}\n", state.status, state.queue, state.element, state.reason.text, because);
}

void PlainReport::on_run_end(const event::RunEnd& end) {
  if (options_.volume == Volume::quiet && end.exit == 0) return;
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(end.built, "built");
  add(end.cached, "cached");
  add(end.pulled, "pulled");
  add(end.tracked, "tracked");
  add(end.fetched, "fetched");
  add(end.pushed, "pushed");
  for (const auto& [queue, count] : done_elsewhere_) add(count, "done in " + queue);
  add(end.failed, "failed");
  add(end.skipped, "not finished");
  if (parts.empty()) parts.emplace_back("nothing to do");
  weir::print(out_, "{}: {} in {}\n", end.result, fmt::join(parts, ", "), format_duration(from_seconds(end.seconds)));
}

}  // namespace weir
