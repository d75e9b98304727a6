#include "core/report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/json_writer.h"
#include "core/model/event_limits.h"
#include "core/report/run_words.h"
#include "core/report/tracks.h"

namespace weir {

namespace {

using Jobs = std::vector<const RecordedJob*>;  // in order of start

std::int64_t trace_micros(Duration time) {
  return std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

Jobs started_jobs(const RunRecord& record) {
  Jobs jobs;
  for (const auto& job : record.jobs())
    if (job.started) jobs.push_back(&job);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const auto* a, const auto* b) { return a->start < b->start; });
  return jobs;
}

struct TrackId {
  std::int64_t process, track;
};
constexpr std::int64_t kRun = 1;  // the process for what belongs to no worker
constexpr std::int64_t kFirstWorker = 2;

class Trace {
 public:
  Trace(const RunRecord& record, RunStand stand) : record_(record), stand_(stand), json_(text_) {}

  std::string write() {
    json_.begin_object().key("displayTimeUnit").value("ms").key("traceEvents").begin_array();
    const auto jobs = started_jobs(record_);
    name_process(kRun, fmt::format("{} run {}", record_.run().project, record_.run().number));
    tracks(
        {kRun, 1}, critical(jobs),
        [&](std::size_t track) {
          return track == 0 ? "critical path" : fmt::format("critical path {}", track + 1);
        },
        [&](TrackId place, const RecordedJob& job) { span(place, "critical", job); });
    auto process = kFirstWorker;
    for (const auto& [worker, its_jobs] : by_worker(jobs)) {
      name_process(process, fmt::format("worker {}", worker));
      tracks(
          {process++, 1}, its_jobs, [](std::size_t track) { return fmt::format("track {}", track + 1); },
          [&](TrackId place, const RecordedJob& job) { whole_job(place, job); });
    }
    counters(jobs);
    for (const auto& note : record_.notes()) instant({kRun, 0}, "g", one_line_of(note.text), note.at);
    json_.end_array();
    other_data();
    json_.end_object();
    return std::move(text_);
  }

 private:
  static std::string one_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

  static Jobs critical(const Jobs& all) {
    Jobs jobs;
    std::copy_if(all.begin(), all.end(), std::back_inserter(jobs),
                 [](const auto* job) { return job->critical; });
    return jobs;
  }

  static std::map<std::string_view, Jobs> by_worker(const Jobs& jobs) {
    std::map<std::string_view, Jobs> workers;
    for (const auto* job : jobs) workers[job->worker].push_back(job);
    return workers;
  }

  JsonWriter& begin(std::string_view phase, TrackId place, std::string_view name, Duration at) {
    json_.begin_object().key("ph").value(phase).key("pid").value(place.process).key("tid").value(place.track);
    return json_.key("ts").value(trace_micros(at)).key("name").value(name);
  }

  void metadata(std::string_view what, TrackId place, std::string_view name) {
    begin("M", place, what, {}).key("args").begin_object().key("name").value(name).end_object().end_object();
  }
  void name_process(std::int64_t process, const std::string& name) {
    metadata("process_name", {process, 0}, name);
    begin("M", {process, 0}, "process_sort_index", {})
        .key("args")
        .begin_object()
        .key("sort_index")
        .value(process)
        .end_object()
        .end_object();
  }

  template <class Name, class Write>
  void tracks(TrackId first, const Jobs& jobs, const Name& name, const Write& write) {
    std::vector<std::pair<Duration, Duration>> spans;
    for (const auto* job : jobs) spans.emplace_back(job->start, job->end);
    const auto packed = pack_tracks(spans);
    std::size_t named = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const TrackId place{first.process, first.track + static_cast<std::int64_t>(packed[i])};
      // A track is first used after all those before it.
      if (packed[i] == named) metadata("thread_name", place, name(named++));
      write(place, *jobs[i]);
    }
  }

  void span(TrackId place, std::string_view category, const RecordedJob& job) {
    begin("X", place, fmt::format("{} {}", job.queue, job.element), job.start)
        .key("dur")
        .value(trace_micros(job.end) - trace_micros(job.start));
    json_.key("cat").value(category).key("args").begin_object().key("job").value(job.id).key("element").value(
        job.element);
    json_.key("queue")
        .value(job.queue)
        .key("attempt")
        .value(job.attempt)
        .key("result")
        .value(result_word(job, stand_));
    json_.key("seconds")
        .value(job.seconds)
        .key("cpu_seconds")
        .value(job.cpu_seconds)
        .key("peak_bytes")
        .value(job.peak_bytes);
    json_.key("critical").value(job.critical);
    const auto text = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) json_.key(name).value(value);
    };
    text("failure", job.failure);
    text("evidence", job.evidence);
    text("key", job.key);
    text("requestor", job.requestor);
    text("class", job.job_class);
    if (job.exit) json_.key("exit").value(*job.exit);
    for (const auto& [token, amount] : job.tokens) json_.key("token " + token).value(amount);
    json_.end_object().end_object();
  }

  void whole_job(TrackId place, const RecordedJob& job) {
    span(place, job.queue, job);
    const auto spans = step_spans(job);
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
      const auto& step = job.steps[i];
      begin("X", place, command_words(step.argv), spans[i].first)
          .key("dur")
          .value(trace_micros(spans[i].second) - trace_micros(spans[i].first));
      json_.key("cat").value("step").key("args").begin_object().key("job").value(job.id).key("exit").value(
          step.exit);
      json_.key("seconds").value(step.seconds).end_object().end_object();
    }
    for (const auto& [from, to] : job.suspended) {
      instant(place, "t", "suspended", from);
      instant(place, "t", "resumed", to);
    }
    if (job.result == "failed")
      instant(place, "t", fmt::format("failed: {} {} ({})", job.queue, job.element, job.failure), job.end);
  }

  void instant(TrackId place, std::string_view scope, std::string_view name, Duration at) {
    begin("i", place, name, at).key("s").value(scope).end_object();
  }

  void counters(const Jobs& jobs) {
    std::map<std::pair<std::string_view, std::int64_t>, std::int64_t> changes;  // by token and time
    for (const auto* job : jobs)
      for (const auto& [token, amount] : job->tokens) {
        auto& begin = changes[{token, trace_micros(job->start)}];
        begin = add_amounts(begin, amount);
        auto& end = changes[{token, trace_micros(job->end)}];
        end = add_amounts(end, -cut_amount(amount));
      }
    std::string_view token;
    std::int64_t used = 0;
    for (const auto& [when, change] : changes) {
      if (when.first != token) used = 0;
      token = when.first;
      used = add_amounts(used, change);
      begin("C", {kRun, 0}, fmt::format("tokens {}", token), std::chrono::microseconds(when.second));
      json_.key("args").begin_object().key("in use").value(used).end_object().end_object();
    }
  }

  void other_data() {
    const auto& run = record_.run();
    json_.key("otherData").begin_object().key("project").value(run.project).key("run").value(run.number);
    json_.key("command")
        .value(fmt::format("weir {}", fmt::join(run.arguments, " ")))
        .key("start")
        .value(run.start)
        .key("weir")
        .value(run.version);
    json_.key("stand").value(to_string(stand_));
    if (const auto& end = record_.end()) {
      json_.key("result").value(end->result).key("exit").value(end->exit).key("seconds").value(end->seconds);
      json_.key("critical_path").value(end->critical_path);
    }
    json_.end_object();
  }

  const RunRecord& record_;
  RunStand stand_;
  std::string text_;
  JsonWriter json_;
};

}  // namespace

std::string trace_json(const RunRecord& record, RunStand stand) { return Trace(record, stand).write(); }

}  // namespace weir
