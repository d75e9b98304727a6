#include "core/report/run_totals.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/model/event_limits.h"
#include "core/report/failure_text.h"
#include "core/report/run_picture.h"

namespace weir {

namespace {

constexpr std::string_view kCounted[] = {"track", "pull", "fetch", "build", "push"};  // by the end of the run

std::int64_t cores_of(event::TokenList tokens) {
  for (const auto& [name, amount] : tokens)
    if (name == "process") return amount;
  return 0;
}

}  // namespace

void RunTotals::on_event(const Event& event) {
  if (const auto* plan = event.as<event::RunPlan>()) cores_ = cores_of(plan->tokens);
  if (const auto* start = event.as<event::JobStart>()) holds_[start->job] = {cores_of(start->tokens), 0, {}};
  if (const auto* change = event.as<event::JobCores>())
    if (const auto held = holds_.find(change->job); held != holds_.end())
      hold(held->second, static_cast<std::int64_t>(std::min<std::uint64_t>(change->cores, kMostAmount)),
           event.since_start);
  if (const auto* end = event.as<event::JobEnd>()) ended(*end, event.since_start);
  if (const auto* end = event.as<event::RunEnd>()) run_ended(*end);
}

void RunTotals::hold(Held& held, std::int64_t cores, Duration now) {
  core_seconds_ += std::chrono::duration<double>(now - held.since).count() * static_cast<double>(held.more);
  held.more = cores - held.least;
  held.since = now;
}

void RunTotals::ended(const event::JobEnd& end, Duration now) {
  if (auto held = holds_.extract(end.job)) {
    hold(held.mapped(), held.mapped().least, now);
    core_seconds_ += end.seconds * static_cast<double>(held.mapped().least);
  }
  if (end.peak_bytes > peak_bytes_) {
    peak_bytes_ = end.peak_bytes;
    largest_ = end.element;
  }
  const bool counted = std::find(std::begin(kCounted), std::end(kCounted), end.queue) != std::end(kCounted);
  if (end.result == "succeeded" && !counted) ++done_elsewhere_[std::string(end.queue)];
}

void RunTotals::run_ended(const event::RunEnd& end) {
  result_ = end.result;
  exit_ = end.exit;
  seconds_ = end.seconds;
  critical_path_ = end.critical_path;
  counts_ = {{end.built, "built"},     {end.cached, "cached"},   {end.pulled, "pulled"},
             {end.tracked, "tracked"}, {end.fetched, "fetched"}, {end.pushed, "pushed"}};
  for (const auto& [queue, count] : done_elsewhere_) counts_.emplace_back(count, "done in " + queue);
  counts_.emplace_back(end.failed, "failed");
  counts_.emplace_back(end.skipped, "not finished");
}

double RunTotals::efficiency() const {
  const auto room = seconds_ * static_cast<double>(cores_);
  return room > 0 ? std::min(1.0, core_seconds_ / room) : 0;
}

std::string RunTotals::counts() const {
  std::string text;
  for (const auto& [count, what] : counts_)
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  return text.empty() ? "nothing to do" : text;
}

namespace {

// Of a run that hardly took time the figures say nothing.
constexpr double kWorthTelling = 1.0;

std::string effort(const RunTotals& totals) {
  return fmt::format("critical path {}, {:.1f} of {} cores busy ({:.0f} %)",
                     format_duration(from_seconds(totals.critical_path())),
                     totals.efficiency() * static_cast<double>(totals.cores()), totals.cores(),
                     totals.efficiency() * 100);
}

std::string names_of(const RunFailures::NotStarted& lost) {
  auto text = fmt::format("{}", fmt::join(lost.names, ", "));
  if (lost.count > lost.names.size()) text += fmt::format(" and {} more", lost.count - lost.names.size());
  return text;
}

}  // namespace

StyledLines summary_lines(const RunTotals& totals, const RunFailures& failures) {
  StyledLines lines;
  for (const auto& failure : failures.all())
    lines.push_back({Tone::bad, "failed    " + failure_headline(failure)});
  for (const auto& lost : failures.not_started()) {
    const auto because = lost.because.empty() ? std::string() : fmt::format(" ({})", lost.because);
    lines.push_back(
        {Tone::note, fmt::format("not done  {}: {}{}", names_of(lost),
                                 lost.reason.empty() ? "no reason is known" : lost.reason, because)});
  }
  const auto tone = totals.result() == "succeeded" ? Tone::good
                    : totals.result() == "failed"  ? Tone::bad
                                                   : Tone::note;
  lines.push_back({tone, fmt::format("{}: {} in {}", totals.result(), totals.counts(),
                                     format_duration(from_seconds(totals.seconds())))});
  if (totals.seconds() < kWorthTelling || totals.core_seconds() <= 0) return lines;
  lines.push_back({Tone::faint, "          " + effort(totals)});
  if (totals.peak_bytes() > 0)
    lines.push_back({Tone::faint, fmt::format("          largest job {} ({})",
                                              format_bytes(totals.peak_bytes()), totals.largest())});
  return lines;
}

}  // namespace weir
