// The data of the report's page. Words that come often (queues, states, reasons) stand once in `words`, and
// their place elsewhere; elements are named by their place too, so that a run of many thousand jobs opens
// quickly. Times are microseconds since the start of the run. Fields that would say nothing are left out.
// Read by core/report/page/data.js alone.
#include <algorithm>
#include <unordered_map>

#include "core/base/json_writer.h"
#include "core/report/failure_text.h"
#include "core/report/html_report.h"
#include "core/report/log_excerpt.h"
#include "core/report/log_tail.h"
#include "core/report/run_words.h"

namespace weir {

namespace {

constexpr std::size_t kLongestText = 4096;             // of a command or a piece of evidence
constexpr std::size_t kAllCommands = 4 * 1024 * 1024;  // of all steps together

std::int64_t page_micros(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

std::string_view cut(std::string_view text, std::size_t most = kLongestText) { return text.substr(0, most); }

struct Counts {
  std::uint64_t built = 0, cached = 0, pulled = 0, fetched = 0, pushed = 0, tracked = 0, failed = 0,
                not_started = 0;
};

// Of a run without an end: as far as it came.
Counts counts_so_far(const RunRecord& record) {
  Counts counts;
  for (const auto& element : record.elements()) {
    for (const auto& stand : element.queues) {
      const bool done = stand.status == "done";
      counts.built += done && stand.queue == "build";
      counts.pulled += done && stand.queue == "pull";
      counts.fetched += done && stand.queue == "fetch";
      counts.pushed += done && stand.queue == "push";
      counts.tracked += done && stand.queue == "track";
      counts.cached += stand.queue == "build" && stand.status == "skip" && stand.reason == "cached";
    }
    if (element.queues.empty()) continue;
    const auto& status = element.queues.back().status;
    counts.failed += status == "failed";
    counts.not_started += status == "blocked" || status == "cancelled";
  }
  counts.cached -= std::min(counts.cached, counts.pulled);  // what was pulled was not there before
  return counts;
}

Counts counts_of(const RunRecord& record) {
  const auto& end = record.end();
  if (!end) return counts_so_far(record);
  return {end->built,  end->cached,  end->pulled, end->fetched,
          end->pushed, end->tracked, end->failed, end->skipped};
}

class WordTable {
 public:
  std::size_t place(const std::string& word) {
    const auto [at, fresh] = places_.emplace(word, all_.size());
    if (fresh) all_.push_back(word);
    return at->second;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::string> all_;
};

class Data {
 public:
  Data(const RunRecord& record, const RunFailures& failures, const RunTotals& totals,
       const HtmlOptions& options)
      : record_(record), failures_(failures), totals_(totals), options_(options), json_(text_) {}

  std::string write() {
    json_.begin_object();
    run();
    summary();
    tokens("tokens", record_.run().tokens);
    texts("queues", record_.run().queues);
    elements();
    jobs();
    if (record_.end()) numbers("critical", record_.end()->critical_jobs);
    failures();
    logs();
    notes();
    texts("words", words_.all());
    json_.end_object();
    return std::move(text_);
  }

 private:
  void run() {
    const auto& run = record_.run();
    json_.key("project")
        .value(run.project)
        .key("run")
        .value(run.number)
        .key("weir")
        .value(run.version)
        .key("start")
        .value(run.start);
    json_.key("stand")
        .value(to_string(options_.stand))
        .key("last")
        .value(page_micros(record_.last()))
        .key("cpus")
        .value(run.cpus);
    texts("arguments", run.arguments);
    const auto& end = record_.end();
    if (!end) return;
    json_.key("result").value(end->result).key("exit").value(end->exit).key("seconds").value(end->seconds);
    json_.key("criticalPath").value(end->critical_path).key("efficiency").value(totals_.efficiency());
  }

  void summary() {
    const auto counts = counts_of(record_);
    json_.key("counts")
        .begin_object()
        .key("built")
        .value(counts.built)
        .key("cached")
        .value(counts.cached)
        .key("pulled")
        .value(counts.pulled);
    json_.key("fetched")
        .value(counts.fetched)
        .key("pushed")
        .value(counts.pushed)
        .key("tracked")
        .value(counts.tracked);
    json_.key("failed").value(counts.failed).key("notStarted").value(counts.not_started).end_object();
    json_.key("cores").value(totals_.cores()).key("coreSeconds").value(totals_.core_seconds());
    json_.key("largest").value(totals_.largest()).key("largestBytes").value(totals_.peak_bytes());
  }

  void elements() {
    json_.key("elements").begin_array();
    for (const auto& element : record_.elements()) {
      json_.begin_object().key("name").value(element.name).key("stands").begin_array();
      element_places_.emplace(element.name, element_places_.size());
      for (const auto& stand : element.queues) {
        json_.begin_array()
            .value(words_.place(stand.queue))
            .value(words_.place(stand.status))
            .value(words_.place(stand.reason));
        json_.value(words_.place(stand.because)).end_array();
      }
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  void jobs() {
    json_.key("jobs").begin_array();
    for (const auto& job : record_.jobs())
      if (!job.queue.empty()) one_job(job);
    json_.end_array();
  }

  void one_job(const RecordedJob& job) {
    json_.begin_object().key("id").value(job.id);
    const auto element = element_places_.find(job.element);
    if (element != element_places_.end()) json_.key("element").value(element->second);
    else json_.key("name").value(job.element);
    json_.key("queue")
        .value(words_.place(job.queue))
        .key("result")
        .value(words_.place(std::string(result_word(job, options_.stand))));
    if (job.started) json_.key("worker").value(words_.place(job.worker));
    json_.key("start").value(page_micros(job.start)).key("end").value(page_micros(job.end));
    number("attempt", job.attempt == 1 ? 0 : job.attempt);
    number("seconds", job.seconds);
    number("cpu", job.cpu_seconds);
    number("peak", job.peak_bytes);
    number("moved", job.moved_bytes);
    if (job.expected) number("expected", *job.expected);
    if (job.exit) json_.key("exit").value(*job.exit);
    if (job.critical) json_.key("critical").value(true);
    if (job.tried_again) json_.key("triedAgain").value(true);
    text("failure", job.failure);
    text("evidence", cut(job.evidence));
    text("key", job.key);
    text("requestor", job.requestor);
    text("class", job.job_class);
    if (!job.tokens.empty()) tokens("tokens", job.tokens);
    spans("suspended", job.suspended);
    waits(job);
    steps(job);
    json_.end_object();
  }

  void waits(const RecordedJob& job) {
    if (job.waits.empty()) return;
    json_.key("waits").begin_array();
    for (const auto& [since, what] : job.waits)
      json_.begin_array().value(page_micros(since)).value(words_.place(what)).end_array();
    json_.end_array();
  }

  void steps(const RecordedJob& job) {
    if (job.steps.empty()) return;
    json_.key("steps").begin_array();
    for (const auto& step : job.steps) {
      const auto command = command_words(step.argv);
      const auto shown = cut(command, std::min(kLongestText, kAllCommands - commands_));
      commands_ += shown.size();
      json_.begin_array().value(shown).value(step.seconds).value(step.exit).end_array();
    }
    json_.end_array();
  }

  void failures() {
    json_.key("failures").begin_array();
    for (const auto& failure : failures_.all()) {
      json_.begin_object().key("element").value(failure.element).key("queue").value(failure.queue);
      json_.key("headline").value(failure_headline(failure)).key("cure").value(failure_cure(failure));
      if (failure.job) json_.key("job").value(*failure.job);
      if (failure.failure != "command" || failure.command.empty())
        text("evidence", cut(failure.evidence));  // else the log says more
      if (!failure.command.empty()) text("command", cut(command_words(failure.command)));
      if (!failure.changes.empty()) texts("changes", failure.changes);
      number("changedSince", failure.changed_since);
      json_.end_object();
    }
    json_.end_array();
  }

  // First those that failed for good: others have the room that they leave.
  void logs() {
    json_.key("logs").begin_array();
    for (const auto& job : record_.jobs())
      if (job.failed()) one_log(job);
    for (const auto& job : record_.jobs())
      if (!job.failed() && job.started && job.result != "succeeded") one_log(job);
    json_.end_array();
  }

  void one_log(const RecordedJob& job) {
    const auto path = options_.log_directory + "/" + std::to_string(job.id) + ".log";
    const auto tail = read_log_tail(path, std::min(options_.log_bytes, options_.all_logs_bytes - logged_));
    logged_ += tail.text.size();
    json_.begin_object()
        .key("job")
        .value(job.id)
        .key("text")
        .value(tail.text)
        .key("bytes")
        .value(tail.bytes)
        .key("all")
        .value(tail.all);
    if (job.failed()) text("error", read_log_excerpt(path, 0).first_error);
    json_.end_object();
  }

  void notes() {
    json_.key("notes").begin_array();
    for (const auto& note : record_.notes())
      json_.begin_array().value(page_micros(note.at)).value(cut(note.text)).end_array();
    json_.end_array();
  }

  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) json_.key(name).value(value);
  }
  template <class Number>
  void number(std::string_view name, Number value) {
    if (value != 0) json_.key(name).value(value);
  }
  void texts(std::string_view name, const std::vector<std::string>& list) {
    json_.key(name).begin_array();
    for (const auto& one : list) json_.value(one);
    json_.end_array();
  }
  void numbers(std::string_view name, const std::vector<std::uint64_t>& list) {
    json_.key(name).begin_array();
    for (const auto one : list) json_.value(one);
    json_.end_array();
  }
  void tokens(std::string_view name, const std::vector<std::pair<std::string, std::int64_t>>& list) {
    json_.key(name).begin_array();
    for (const auto& [token, amount] : list)
      json_.begin_array().value(words_.place(token)).value(amount).end_array();
    json_.end_array();
  }
  void spans(std::string_view name, const std::vector<std::pair<Duration, Duration>>& list) {
    if (list.empty()) return;
    json_.key(name).begin_array();
    for (const auto& [from, to] : list)
      json_.begin_array().value(page_micros(from)).value(page_micros(to)).end_array();
    json_.end_array();
  }

  const RunRecord& record_;
  const RunFailures& failures_;
  const RunTotals& totals_;
  const HtmlOptions& options_;
  std::string text_;
  JsonWriter json_;
  WordTable words_;
  std::unordered_map<std::string, std::size_t> element_places_;
  std::size_t commands_ = 0, logged_ = 0;
};

}  // namespace

std::string report_data(const RunRecord& record, const RunFailures& failures, const RunTotals& totals,
                        const HtmlOptions& options) {
  return Data(record, failures, totals, options).write();
}

}  // namespace weir
