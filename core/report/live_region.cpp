#include "core/report/live_region.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/terminal_text.h"
#include "core/report/wait_text.h"

namespace weir {

RegionLine& RegionLine::add(std::string_view text, Tone tone) {
  auto part = fit(one_line(text), room_);
  const auto columns = display_width(part);
  room_ -= columns;
  width_ += columns;
  parts_.push_back({tone, std::move(part)});
  return *this;
}

std::string RegionLine::text() const {
  std::string all;
  for (const auto& part : parts_) all += part.text;
  return all;
}

std::string RegionLine::colored() const {
  std::string all;
  for (const auto& part : parts_) all += with_color(part);
  return all;
}

namespace {

constexpr std::size_t kNarrow = 60;  // below this only numbers

class Layout {
 public:
  Layout(const RunPicture& picture, Duration now, TerminalSize size)
      : picture_(picture),
        now_(now),
        columns_(size.columns > 1 ? size.columns - 1 : 1),
        rows_(std::max<std::size_t>(1, size.rows / 3)) {}

  std::vector<RegionLine> lines() {
    progress();
    if (rows_ >= 3) queues();
    const bool waits = picture_.next() && rows_ >= 4;
    jobs(rows_ - std::min(rows_, lines_.size() + waits));
    if (waits) line().add("next: ", Tone::faint).add(wait_text(*picture_.next()));
    return std::move(lines_);
  }

 private:
  RegionLine& line() { return lines_.emplace_back(columns_); }
  bool narrow() const { return columns_ < kNarrow; }

  void progress() {
    auto& out = line();
    out.add(fmt::format("[{}/{}]", picture_.settled(), picture_.seen()), Tone::strong)
        .add(" " + format_clock(now_));
    if (const auto rest = picture_.estimate(now_))
      out.add(narrow() ? " ~" + format_clock(*rest) : fmt::format(", about {} left", format_clock(*rest)));
    if (picture_.failed() > 0)
      out.add(fmt::format("{}{} failed", narrow() ? " " : ", ", picture_.failed()), Tone::bad);
    if (picture_.all_suspended()) out.add(narrow() ? " suspended" : ", suspended", Tone::note);
    for (const auto& token : picture_.tokens()) {
      const auto text = token_text(token);
      // Whole or not at all: half a number is a wrong one.
      if (!text.empty() && text.size() <= out.room()) out.add(text, Tone::faint);
    }
  }

  static std::string token_text(const RunPicture::Token& token) {
    if (token.used == 0 && token.name != "process") return {};
    if (token.name != "memory") return fmt::format("  {} {}/{}", token.name, token.used, token.capacity);
    return fmt::format("  memory {}/{}",
                       format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, token.used))),
                       format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, token.capacity))));
  }

  void queues() {
    auto& out = line();
    const auto full = queue_texts(true);
    std::size_t width = 0;
    for (const auto& [text, failed] : full) width += text.size() + failed.size();
    for (const auto& [text, failed] : width <= columns_ ? full : queue_texts(false))
      out.add(text, Tone::faint).add(failed, Tone::bad);
  }

  // What of a queue is good, and what is not. Short: "build 12+3", done and skipped, of queues that do
  // something.
  std::vector<std::pair<std::string, std::string>> queue_texts(bool full) const {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& queue : picture_.queues()) {
      const bool busy = queue.done + queue.failed + queue.running > 0;
      if (!busy && (!full || queue.skipped == 0)) continue;
      auto text = fmt::format("{}{}", texts.empty() ? "" : "  ", queue.name);
      if (!full)
        text += queue.skipped > 0 ? fmt::format(" {}+{}", queue.done, queue.skipped)
                                  : fmt::format(" {}", queue.done);
      if (full && queue.done > 0) text += fmt::format(" {} done", queue.done);
      if (full && queue.done + queue.skipped + queue.failed == 0) text += " 0 done";
      if (full && queue.skipped > 0) text += fmt::format(" {} skipped", queue.skipped);
      auto failed = queue.failed > 0 ? fmt::format(" {} failed", queue.failed) : std::string();
      texts.emplace_back(std::move(text), std::move(failed));
    }
    if (texts.empty()) texts.emplace_back("looking what there is to do", "");
    return texts;
  }

  void jobs(std::size_t room) {
    std::vector<const RunPicture::Job*> all;
    for (const auto& [id, job] : picture_.running()) all.push_back(&job);
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto* a, const auto* b) { return a->ran(now_) > b->ran(now_); });
    const auto* critical = picture_.critical(now_);
    // The one that all wait for is always shown.
    if (const auto at = std::find(all.begin(), all.end(), critical);
        room > 1 && at != all.end() && static_cast<std::size_t>(at - all.begin()) + 1 >= room &&
        all.size() > room)
      std::rotate(all.begin() + static_cast<std::ptrdiff_t>(room) - 2, at, at + 1);
    const auto shown = all.size() > room && room > 0 ? room - 1 : std::min(all.size(), room);
    std::size_t widest = 0;
    for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, display_width(time_text(*all[i])));
    for (std::size_t i = 0; i < shown; ++i) job(*all[i], all[i] == critical && all.size() > 1, widest);
    if (shown < all.size() && room > 0)
      line().add(fmt::format("  and {} more", all.size() - shown), Tone::faint);
  }

  void job(const RunPicture::Job& job, bool critical, std::size_t widest_time) {
    auto& out = line();
    const auto time = time_text(job);
    const auto used = widest_time + 2;
    const auto room = columns_ > used ? columns_ - used : 0;
    const auto name = fmt::format("{} {} {}{}", critical ? "*" : " ", job.queue, one_line(job.element),
                                  job.attempt > 1 ? fmt::format(" (attempt {})", job.attempt) : "");
    constexpr std::size_t kComfortable = 60;  // times far to the right of short names are hard to read
    out.add(pad(name, std::min(room, kComfortable)), critical ? Tone::strong : Tone::plain)
        .add("  " + time, job.suspended || job.stopping ? Tone::note : Tone::plain);
  }

  std::string time_text(const RunPicture::Job& job) const {
    auto text = format_clock(job.ran(now_));
    if (job.expected && !narrow())
      text += fmt::format(" of about {}", format_clock(from_seconds(*job.expected)));
    if (job.stopping) text += " stopping";
    else if (job.suspended) text += " suspended";
    return text;
  }

  const RunPicture& picture_;
  Duration now_;
  std::size_t columns_, rows_;
  std::vector<RegionLine> lines_;
};

}  // namespace

std::vector<RegionLine> live_region(const RunPicture& picture, Duration now, TerminalSize size) {
  return Layout(picture, now, size).lines();
}

}  // namespace weir
