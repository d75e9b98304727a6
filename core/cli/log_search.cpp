#include "core/cli/log_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/project/diagnostic.h"
#include "queues/pull_queue.h"
#include "queues/push_queue.h"

namespace weir::cli {

namespace {

class LogSearch {
 public:
  LogSearch(const LogQuery& query, const Project& project, std::span<const PastRun> runs)
      : query_(query), project_(project), runs_(runs.begin(), runs.end()) {}

  Result<std::vector<FoundLog>> find() {
    if (auto narrowed = narrow(); !narrowed) return tl::unexpected(narrowed.error());
    if (query_.element.empty()) return failed_jobs(runs_.front());
    for (const bool with_transfers : {false, true})
      for (const auto& run : runs_)
        if (auto job = job_of_element(run, with_transfers))
          return std::vector{FoundLog{run, std::move(*job)}};
    return tl::unexpected(no_such_job());
  }

 private:
  Status narrow() {
    const auto run = find_run(runs_, query_.run);
    if (!run) return tl::unexpected(run.error());
    if (query_.run != 0) runs_ = {*run};
    return {};
  }

  bool in_queue(const RecordedJob& job) const { return query_.queue.empty() || job.queue == query_.queue; }

  std::vector<RecordedJob> jobs_of(const PastRun& run) {
    auto jobs = read_jobs(run.events());
    for (const auto& job : jobs) {
      elements_.insert(job.element);
      queues_.insert(job.queue);
    }
    std::erase_if(jobs, [&](const RecordedJob& job) { return !in_queue(job); });
    return jobs;
  }

  Result<std::vector<FoundLog>> failed_jobs(const PastRun& run) {
    std::vector<FoundLog> found;
    for (auto& job : jobs_of(run))
      if (job.failed()) found.push_back({run, std::move(job)});
    if (found.empty() && !known_queue()) return tl::unexpected(no_such_queue());
    return found;
  }

  // The last one that failed, else the last one.
  std::optional<RecordedJob> job_of_element(const PastRun& run, bool with_transfers) {
    std::optional<RecordedJob> best;
    for (auto& job : jobs_of(run))
      if ((with_transfers || !is_transfer(job.queue) || job.failed()) && job.element == query_.element &&
          (!best || job.failed() || !best->failed()))
        best = std::move(job);
    return best;
  }

  bool known_queue() const {
    const auto& row = project_.queues;
    return query_.queue.empty() || queues_.contains(query_.queue) ||
           std::any_of(row.begin(), row.end(),
                       [&](const PlacedText& queue) { return queue.text == query_.queue; });
  }

  Error no_such_queue() const {
    std::vector<std::string_view> names;
    for (const auto& queue : project_.queues) names.push_back(queue.text);
    const auto near = did_you_mean(query_.queue, names);
    return {Reason::usage, fmt::format("there is no queue {}", weir::in_quotes(query_.queue)),
            near ? fmt::format("did you mean \"{}\"?", *near)
                 : fmt::format("queues: {}", fmt::join(names, ", "))};
  }

  Error no_such_job() {
    for (const auto& element : project_.elements) elements_.insert(element.name);
    const auto name = weir::in_quotes(query_.element);
    if (!elements_.contains(query_.element)) {
      const std::vector<std::string_view> names(elements_.begin(), elements_.end());
      const auto near = did_you_mean(query_.element, names);
      return {
          Reason::usage, fmt::format("there is no element {}", name),
          near ? fmt::format("did you mean \"{}\"?", *near) : "it is neither in the project nor in its runs"};
    }
    if (!known_queue()) return no_such_queue();
    const auto where = query_.run ? fmt::format("in run {}", query_.run) : "in the runs that are kept";
    const auto queue =
        query_.queue.empty() ? "" : fmt::format(" in the queue {}", weir::in_quotes(query_.queue));
    const auto* remedy = query_.run ? "without --run the newest run with such a job is taken"
                                    : "what is cached or has nothing to do needs no job";
    return {Reason::not_found, fmt::format("element {} had no job{} {}", name, queue, where), remedy};
  }

  const LogQuery& query_;
  const Project& project_;
  std::vector<PastRun> runs_;
  std::set<std::string> elements_, queues_;  // seen in the runs
};

}  // namespace

bool is_transfer(std::string_view queue) { return queue == PullQueue::kName || queue == PushQueue::kName; }

Result<std::vector<FoundLog>> find_logs(const LogQuery& query, const Project& project,
                                        std::span<const PastRun> runs) {
  return LogSearch(query, project, runs).find();
}

}  // namespace weir::cli
