#include "core/report/ci_report.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/base/shell_word.h"
#include "core/base/text.h"
#include "core/report/log_lines.h"
#include "core/report/terminal_text.h"
#include "core/report/wait_text.h"

namespace weir {

namespace {

constexpr std::size_t kNamedJobs = 8;

std::uint64_t size_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::vector<const RunPicture::Job*> longest_first(const std::map<std::uint64_t, RunPicture::Job>& running,
                                                  Duration now) {
  std::vector<const RunPicture::Job*> jobs;
  for (const auto& [id, job] : running) jobs.push_back(&job);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](const auto* a, const auto* b) { return a->ran(now) > b->ran(now); });
  return jobs;
}

std::string job_text(const RunPicture::Job& job, Duration now) {
  const auto* state = job.suspended ? " (suspended)" : job.stopping ? " (stopping)" : "";
  return fmt::format("{} {} for {}{}", job.queue, job.element, format_duration(job.ran(now)), state);
}

std::string running_text(const std::map<std::uint64_t, RunPicture::Job>& running, Duration now) {
  if (running.empty()) return "nothing runs";
  std::string text;
  const auto jobs = longest_first(running, now);
  for (std::size_t i = 0; i < jobs.size() && i < kNamedJobs; ++i)
    text += (i ? ", " : "") + job_text(*jobs[i], now);
  if (jobs.size() > kNamedJobs) text += fmt::format(" and {} more", jobs.size() - kNamedJobs);
  return text;
}

}  // namespace

CiReport::CiReport(std::FILE* out, CiOptions options, std::unique_ptr<CiHost> host, const Clock& clock)
    : options_(std::move(options)), host_(std::move(host)), log_(out, *host_), clock_(clock) {}

void CiReport::on_event(const Event& event) {
  set_time(event.since_start);
  picture_.on_event(event);
  failures_.on_event(event);
  totals_.on_event(event);
  if (const auto* start = event.as<event::RunStart>()) begin(*start);
  progress(event);
  if (const auto* failure = failures_.news()) failed(*failure);
  if (const auto* over = event.as<event::RunEnd>()) end(*over);
  flush();
}

void CiReport::set_time(Duration since_start) {
  now_ = since_start;
  log_.set_time(options_.start + std::chrono::duration_cast<WallTime::duration>(since_start));
}

void CiReport::flush() {
  if (log_.flush()) written_ = now_;
}

void CiReport::begin(const event::RunStart& start) {
  start_ = clock_.now() - now_;
  running_ = true;
  if (options_.report.volume == Volume::quiet) return;
  std::string command = "weir";
  for (const auto word : start.args) command += " " + shell_word(word);
  log_.tell(one_line(fmt::format("run {} of {}: {}, {} cores, weir {}", start.run, start.project.text,
                                 command, start.cpus, start.version.text)));
}

// Of the elements that the run has come to so far, how many this queue is done with.
std::string CiReport::count(std::string_view queue) {
  const auto at = passed_.find(queue);
  const auto passed = at == passed_.end() ? 0 : at->second;
  return fmt::format("[{}/{}] ", std::min<std::uint64_t>(passed, picture_.seen()), picture_.seen());
}

void CiReport::progress(const Event& event) {
  std::string_view queue;
  if (const auto* state = event.as<event::ElementState>()) {
    queue = state->queue;
    if (state->status == "skip" || state->status == "failed") ++passed_[std::string(queue)];
  } else if (const auto* end = event.as<event::JobEnd>()) {
    queue = end->queue;
    if (end->result == "succeeded") ++passed_[std::string(queue)];
  } else if (const auto* start = event.as<event::JobStart>()) {
    queue = start->queue;
  } else if (const auto* retry = event.as<event::JobRetry>()) {
    queue = retry->queue;
  } else if (const auto* diagnostic = event.as<event::Diagnostic>();
             diagnostic && diagnostic->level != "note") {
    log_.marks(host_->warning(diagnostic->message));
    for (const auto& line : progress_lines(event, options_.report.volume)) log_.tell(line.text);
    return;
  }
  for (const auto& line : progress_lines(event, options_.report.volume))
    log_.progress((queue.empty() ? "" : count(queue)) + one_line(line.text));
}

void CiReport::failed(const FailedElement& failure) {
  const auto& style = options_.report.failures;
  log_.marks(host_->failure(failure, failure.job ? log_path(failure, style) : std::string()));
  for (const auto& line : failure_block(failure, style)) log_.tell(line.text);
}

void CiReport::end(const event::RunEnd& end) {
  running_ = false;
  for (const auto& failure : failures_.all())
    if (failure.job) whole_log(failure);
  if (options_.report.volume != Volume::quiet || end.exit != 0)
    for (const auto& line : summary_lines(totals_, failures_)) log_.tell(line.text);
  log_.close();
}

void CiReport::whole_log(const FailedElement& failure) {
  const auto path = log_path(failure, options_.report.failures);
  const auto size = size_of(path);
  const auto name = one_line(fmt::format("log of {} {}", failure.queue, failure.element));
  if (size == 0) return log_.tell(fmt::format("===== {} is empty =====", name));
  log_.tell(fmt::format("===== {}, {}: {} =====", name, format_bytes(size), path));
  if (size <= options_.longest_log) {
    quote(path, 0, size);
  } else {
    const auto part = options_.longest_log / 2;
    quote(path, 0, part);
    log_.tell(fmt::format(
        "===== {} are left out here: the whole {} is {} =====", format_bytes(size - 2 * part), name, path));
    quote(path, size - part, size);
  }
  log_.tell(fmt::format("===== end of the {} =====", name));
}

void CiReport::quote(const std::string& path, std::uint64_t from, std::uint64_t to) {
  for_each_clean_line(LogLines(path, from, to), [&](std::string_view line) { log_.quote(line); });
}

std::optional<Time> CiReport::next_call() const {
  if (!running_ || options_.report.volume == Volume::quiet) return std::nullopt;
  return start_ + written_ + options_.heartbeat;
}

void CiReport::call(Time now) {
  set_time(now - start_);
  log_.progress(one_line(beat_text(now_)));
  flush();
}

std::string CiReport::beat_text(Duration now) const {
  auto text = fmt::format("[{}/{}] {:<9} {}", picture_.settled(), picture_.seen(), "running",
                          running_text(picture_.running(), now));
  if (const auto& wait = picture_.next()) text += "; next " + wait_text(*wait);
  if (const auto left = picture_.estimate(now))
    text += fmt::format("; about {} left", format_duration(*left));
  return text;
}

}  // namespace weir
