#include "core/report/live_display.h"

#include <algorithm>
#include <utility>

#include "core/report/terminal_text.h"

namespace weir {

namespace {

constexpr auto kBetweenFrames = std::chrono::milliseconds(100);

constexpr std::string_view kNoWrap = "\x1b[?7l", kWrap = "\x1b[?7h", kClearLine = "\x1b[K",
                           kClearBelow = "\x1b[J", kClearRow = "\x1b[2K", kUp = "\x1b[A";

}  // namespace

LiveDisplay::LiveDisplay(Terminal terminal, ReportOptions options, const Clock& clock)
    : terminal_(std::move(terminal)),
      options_(std::move(options)),
      clock_(clock),
      size_(terminal_.size()),
      start_(clock.now()) {}

void LiveDisplay::on_event(const Event& event) {
  const auto now = clock_.now();
  start_ = now - event.since_start;
  picture_.on_event(event);
  failures_.on_event(event);
  totals_.on_event(event);
  changed_ = true;
  // What starts is in the region.
  if (!event.as<event::JobStart>()) scroll(progress_lines(event, options_.volume));
  if (const auto* failure = failures_.news()) scroll(failure_block(*failure, options_.failures));
  const auto* control = event.as<event::Control>();
  if (event.as<event::RunEnd>()) {
    scroll(summary_lines(totals_, failures_));
    asked_ = stopped_ = false;  // what was held back meanwhile comes too
    hide();
    over_ = true;
  } else if (event.as<event::RunAsk>()) {
    hide();
    asked_ = true;
  } else if (control && control->what == "answer") {
    // With the next frame: whoever asked may still have to end the line of the question.
    asked_ = false;
    drawn_ = now;
  } else if (!drawn_) {
    draw(now);
  }
}

void LiveDisplay::scroll(const StyledLines& lines) {
  for (const auto& line : lines) {
    pending_ += options_.color ? with_color(line) : line.text;
    pending_ += '\n';
  }
}

// The next whole second changes the clock; all else comes with an event.
std::optional<Time> LiveDisplay::next_call() const {
  if (hidden() || !drawn_) return std::nullopt;
  if (changed_) return *drawn_ + kBetweenFrames;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_start(*drawn_));
  return std::max(start_ + seconds + std::chrono::seconds(1), *drawn_ + kBetweenFrames);
}

// The cursor stands at the end of the last line. Lines that have become wider than the window take several
// rows of it: terminals break them anew when it changes.
std::size_t LiveDisplay::rows() const {
  std::size_t rows = 0;
  for (const auto width : widths_)
    rows += std::max<std::size_t>(1, (width + size_.columns - 1) / size_.columns);
  return rows;
}

std::string LiveDisplay::to_top() const {
  if (widths_.empty()) return {};
  std::string out = "\r";
  for (std::size_t row = 1; row < rows(); ++row) out += kUp;
  return out;
}

// Row by row: some terminals keep as history what is cleared from the top left corner on.
std::string LiveDisplay::erased() const {
  if (widths_.empty()) return {};
  std::string out(kClearBelow);
  out.append("\r").append(kClearRow);
  for (std::size_t row = 1; row < rows(); ++row) out.append(kUp).append(kClearRow);
  return out;
}

void LiveDisplay::draw(Time now) {
  changed_ = false;
  drawn_ = now;
  if (hidden()) return;
  const auto lines = live_region(picture_, since_start(now), size_);
  std::string frame;
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    if (!frame.empty()) frame += '\n';
    frame += options_.color ? line.colored() : line.text();
    frame += kClearLine;
    widths.push_back(line.width());
  }
  if (pending_.empty() && frame == frame_) return;
  auto out = pending_.empty() ? to_top() : erased() + pending_;
  out.append(kNoWrap).append(frame).append(kClearBelow).append(kWrap);
  terminal_.write(out);
  pending_.clear();
  frame_ = std::move(frame);
  widths_ = std::move(widths);
}

void LiveDisplay::resized() {
  size_ = terminal_.size();
  frame_.clear();
  if (drawn_) draw(clock_.now());
}

void LiveDisplay::hide() {
  if (hidden() || (widths_.empty() && pending_.empty())) return;
  terminal_.write(erased() + pending_);
  pending_.clear();
  widths_.clear();
  frame_.clear();
}

void LiveDisplay::stopped() {
  hide();
  stopped_ = true;
}

void LiveDisplay::resumed() {
  stopped_ = false;
  if (asked_ && !pending_.empty())
    terminal_.write(std::exchange(pending_, {}));  // what the question is about
  resized();                                       // the window may have changed meanwhile
}

}  // namespace weir
