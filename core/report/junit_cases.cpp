#include "core/report/junit_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "queues/queue.h"

namespace weir {

namespace {

using Stand = RecordedElement::Stand;
using QueueElement = std::pair<std::string, std::string>;  // queue and element

bool is_there_already(std::string_view reason) {
  for (const auto why : {Why::cached, Why::sources_present, Why::remote_has_it, Why::done_before})
    if (reason == to_string(why)) return true;
  return false;
}

std::string with_cause(const Stand& stand) {
  const auto reason = stand.reason.empty() ? stand.status : stand.reason;
  return stand.because.empty() ? reason : fmt::format("{} ({})", reason, stand.because);
}

// What a person can do something about in the project fails; what befell it is an error.
JunitResult kind_of(const FailedElement& failed) {
  const bool own = !failed.job || failed.failure == "command" || failed.failure == "source";
  return own ? JunitResult::failure : JunitResult::error;
}

class Cases {
 public:
  Cases(const RunRecord& record, const RunFailures& failures) : record_(record) {
    for (const auto& job : record.jobs()) jobs_[{job.queue, job.element}].push_back(&job);
    for (const auto& failed : failures.all()) failed_[{failed.queue, failed.element}] = &failed;
  }

  std::vector<JunitSuite> suites() {
    std::vector<JunitSuite> all;
    for (const auto& queue : record_.run().queues) all.push_back({queue, {}});
    for (const auto& element : record_.elements())
      for (const auto& stand : element.queues)
        if (auto one = case_of(element, stand)) suite(all, stand.queue).cases.push_back(std::move(*one));
    return all;
  }

 private:
  static JunitSuite& suite(std::vector<JunitSuite>& all, const std::string& queue) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.queue == queue; });
    if (at != all.end()) return *at;
    all.push_back({queue, {}});
    return all.back();
  }

  std::optional<JunitCase> case_of(const RecordedElement& element, const Stand& stand) const {
    JunitCase one;
    one.element = &element.name;
    if (const auto at = jobs_.find({stand.queue, element.name}); at != jobs_.end()) one.jobs = at->second;
    if (stand.status == "done") return one;
    if (stand.status == "skip") return skipped(std::move(one), stand);
    if (const auto at = failed_.find({stand.queue, element.name}); at != failed_.end()) {
      one.failed = at->second;
      one.result = kind_of(*at->second);
      return one;
    }
    one.result = JunitResult::skipped;
    const bool over = stand.status == "blocked" || stand.status == "cancelled" || stand.status == "failed";
    one.reason = over ? with_cause(stand) : "the run ended before it";
    return one;
  }

  // A build asks every queue about every element, and every remote; only what it is about is worth a case, or
  // what went wrong.
  std::optional<JunitCase> skipped(JunitCase one, const Stand& stand) const {
    const bool asked_for = stand.queue == "build" || record_.run().queues.size() == 1;
    const bool passed =
        is_there_already(stand.reason) && (asked_for || stand.reason == to_string(Why::done_before));
    const bool trouble = std::any_of(one.jobs.begin(), one.jobs.end(),
                                     [](const auto* job) { return job->result == "failed"; });
    if (!passed && !asked_for && !trouble) return std::nullopt;
    one.reason = with_cause(stand);
    one.cached = passed;
    one.result = passed ? JunitResult::passed : JunitResult::skipped;
    return one;
  }

  const RunRecord& record_;
  std::map<QueueElement, std::vector<const RecordedJob*>> jobs_;
  std::map<QueueElement, const FailedElement*> failed_;
};

}  // namespace

double JunitCase::seconds() const {
  double sum = 0;
  for (const auto* job : jobs) sum += job->seconds;
  return sum;
}

std::vector<const RecordedJob*> JunitCase::failed_attempts() const {
  std::vector<const RecordedJob*> before;
  for (std::size_t i = 0; i + 1 < jobs.size(); ++i)
    if (jobs[i]->result == "failed") before.push_back(jobs[i]);
  return before;
}

std::size_t JunitSuite::count(JunitResult result) const {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const auto& one) { return one.result == result; }));
}

double JunitSuite::seconds() const {
  double sum = 0;
  for (const auto& one : cases) sum += one.seconds();
  return sum;
}

std::vector<JunitSuite> junit_suites(const RunRecord& record, const RunFailures& failures) {
  return Cases(record, failures).suites();
}

}  // namespace weir
