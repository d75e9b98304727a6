// A look at a run from the loop's thread.
#include <algorithm>
#include <charconv>

#include "core/scheduler/scheduler.h"

namespace weir {

namespace {

RunStatus::QueueLine line_of(const Flow& flow, std::size_t queue) {
  const auto& station = flow.station(queue);
  RunStatus::QueueLine line;
  line.name = station.queue().name();
  for (std::uint32_t i = 0; i < flow.graph().size(); ++i) {
    switch (station.kept(ElementId{i}).status) {
      case QueueStatus::none: break;
      case QueueStatus::wait: ++line.waiting; break;
      case QueueStatus::ready: ++line.ready; break;
      case QueueStatus::running: ++line.running; break;
      case QueueStatus::done: ++line.done; break;
      case QueueStatus::skip: ++line.skipped; break;
      case QueueStatus::failed:
      case QueueStatus::blocked:
      case QueueStatus::cancelled: ++line.failed; break;
    }
  }
  return line;
}

std::string_view state_of(const RunningJob& job) {
  if (job.stopping) return "stopping";
  return job.suspended ? "suspended" : "running";
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

RunStatus Scheduler::status() const {
  RunStatus status;
  status.state = closing_ ? "closing" : paused_ ? "suspended" : "running";
  status.seconds = std::chrono::duration<double>(events_.since_start()).count();
  for (std::size_t queue = 0; queue < flow_.queues(); ++queue) status.queues.push_back(line_of(flow_, queue));
  for (std::uint32_t i = 0; i < ledger_.tokens(); ++i) {
    const TokenId token{static_cast<std::underlying_type_t<TokenId>>(i)};
    status.tokens.push_back({std::string(ledger_.name(token)), ledger_.capacity(token), ledger_.used(token)});
  }
  status.classes = class_lines();
  for (std::uint32_t w = 0; placing_ && w < placing_->workers.size(); ++w) {
    const auto& worker = placing_->workers[WorkerId{w}];
    status.workers.push_back({worker.name, std::string(worker.state_name()), worker.slots, worker.busy()});
  }
  running_.for_each([&](const RunningJob& job) {
    const auto& build = builds_[index(flow_.table().build(job.element))];
    const auto worker = job.worker == kNoWorker ? options_.worker : placing_->workers[job.worker].name;
    status.jobs.push_back({index(job.id), std::string(graph_.name(job.element)),
                           std::string(flow_.station(job.queue).queue().name()), worker, build.class_name,
                           build.requestor, std::string(state_of(job)),
                           std::chrono::duration<double>(job.running_time(clock_.now())).count()});
  });
  return status;
}

// Of the classes that builds of this run belong to.
std::vector<RunStatus::ClassLine> Scheduler::class_lines() const {
  std::vector<RunStatus::ClassLine> lines;
  if (!placing_) return lines;
  const auto line_of = [&](ElementId element) -> RunStatus::ClassLine& {
    const auto& name = builds_[index(flow_.table().build(element))].class_name;
    const auto found =
        std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.name == name; });
    if (found != lines.end()) return *found;
    return lines.emplace_back(RunStatus::ClassLine{name, 0, 0});
  };
  running_.for_each([&](const RunningJob& job) {
    if (job.worker != kNoWorker) ++line_of(job.element).running;
  });
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    const auto phase = flow_.table().phase(ElementId{i});
    const bool waits = phase == Phase::ready || phase == Phase::placing;
    if (waits && is_placed(flow_.table().queue(ElementId{i}))) ++line_of(ElementId{i}).waiting;
  }
  return lines;
}

Result<JobId> Scheduler::find_job(std::string_view text) const {
  const auto live = [&](JobId job) {
    const auto element = jobs_[index(job)].element;
    return jobs_[index(job)].slot != kNoSlot || flow_.table().job(element) == job;
  };
  if (const auto number = number_in(text)) {
    if (*number < jobs_.size() && live(JobId{*number})) return JobId{*number};
    return fail(Reason::usage, fmt::format("there is no job {} that waits or runs", *number),
                "weir ctl status shows those that run");
  }
  for (std::uint32_t i = 0; i < graph_.size(); ++i)
    if (graph_.name(ElementId{i}) == text && flow_.table().job(ElementId{i}) != kNoJob)
      return flow_.table().job(ElementId{i});
  return fail(Reason::usage, fmt::format("no job of an element \"{}\" waits or runs", text),
              "weir ctl status shows those that run");
}

Result<JobId> Scheduler::find_running(std::string_view text) const {
  const auto job = find_job(text);
  if (!job || jobs_[index(*job)].slot != kNoSlot) return job;
  return fail(Reason::usage, fmt::format("job {} does not run yet", index(*job)),
              "weir ctl suspend without a job holds all of them");
}

}  // namespace weir
