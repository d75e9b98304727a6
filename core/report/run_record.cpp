#include "core/report/run_record.h"

#include <fmt/format.h>

#include "core/report/event_file.h"

namespace weir {

namespace {

template <class To, class From>
std::vector<To> copy_of(const From& list) {
  return {list.begin(), list.end()};
}

}  // namespace

struct RunRecord::Visitor {
  RunRecord& self;

  void operator()(const event::RunStart& start) {
    self.run_.number = start.run;
    self.run_.cpus = start.cpus;
    self.run_.project = start.project.text;
    self.run_.version = start.version.text;
    self.run_.arguments = copy_of<std::string>(start.args);
  }
  void operator()(const event::RunPlan& plan) {
    self.run_.elements = plan.elements;
    self.run_.edges = plan.edges;
    self.run_.queues = copy_of<std::string>(plan.queues);
    self.run_.tokens = copy_of<std::pair<std::string, std::int64_t>>(plan.tokens);
  }
  void operator()(const event::JobStart& start) {
    auto& job = self.job(start.job);
    job.element = start.element;
    job.queue = start.queue;
    job.worker = start.worker;
    job.key = start.key.text;
    job.requestor = start.requestor.text;
    job.job_class = start.job_class.text;
    job.attempt = start.attempt;
    job.tokens = copy_of<std::pair<std::string, std::int64_t>>(start.tokens);
    job.expected = start.expected;
    job.started = true;
    job.start = job.end = self.last_;
    const auto [latest, first] =
        self.latest_job_.emplace(fmt::format("{} {}", job.queue, job.element), start.job);
    if (!first) self.job(std::exchange(latest->second, start.job)).tried_again = true;
  }
  void operator()(const event::JobStep& step) {
    self.job(step.job).steps.push_back({copy_of<std::string>(step.argv), step.seconds, step.exit});
  }
  void operator()(const event::JobWait& wait) {
    auto what =
        wait.name.text.empty() ? std::string(wait.what) : fmt::format("{} {}", wait.what, wait.name.text);
    self.job(wait.job).waits.emplace_back(self.last_, std::move(what));
  }
  void operator()(const event::JobSuspend& suspend) {
    auto& job = self.job(suspend.job);
    job.suspended.emplace_back(self.last_, self.last_);
    job.is_suspended = true;
  }
  void operator()(const event::JobResume& resume) {
    auto& job = self.job(resume.job);
    if (job.is_suspended) job.suspended.back().second = self.last_;
    job.is_suspended = false;
  }
  void operator()(const event::JobEnd& end) {
    auto& job = self.job(end.job);
    job.element = end.element;
    job.queue = end.queue;
    if (!job.started) job.start = self.last_;
    ends_now(job);
    job.is_suspended = false;
    job.result = end.result;
    job.failure = end.failure.text;
    job.evidence = end.evidence.text;
    job.exit = end.exit;
    job.seconds = end.seconds;
    job.cpu_seconds = end.cpu_seconds;
    job.peak_bytes = end.peak_bytes;
  }
  void operator()(const event::ElementState& state) {
    auto& queues = self.element_of(state.element).queues;
    if (queues.empty() || queues.back().queue != state.queue)
      queues.push_back({std::string(state.queue), {}, {}, {}, {}});
    auto& stand = queues.back();
    stand.status = state.status;
    stand.reason = state.reason.text;
    stand.because = state.because.text;
    stand.at = self.last_;
  }
  void operator()(const event::ElementChanges& changes) {
    auto& element = self.element_of(changes.element);
    element.changes = copy_of<std::string>(changes.changes);
    element.changed_since = changes.since;
  }
  void operator()(const event::RemoteTransfer& transfer) {
    self.job(transfer.job).moved_bytes += transfer.bytes;
  }
  void operator()(const event::Diagnostic& diagnostic) {
    self.note(fmt::format("{}: {}", diagnostic.level, diagnostic.message));
  }
  void operator()(const event::RemoteState& state) {
    self.note(fmt::format("remote {} is {}: {}", state.remote, state.state, state.reason));
  }
  void operator()(const event::WorkerState& state) {
    self.note(fmt::format("worker {} is {}", state.worker, state.state));
  }
  void operator()(const event::Control& control) {
    const auto value = control.value ? fmt::format(" {}", *control.value) : std::string();
    self.note(fmt::format("{} {}{} {}", control.what, control.name.text, value, control.text.text));
  }
  void operator()(const event::RunEnd& end) {
    self.end_ = RecordedEnd{std::string(end.result),
                            end.exit,
                            end.built,
                            end.cached,
                            end.fetched,
                            end.pulled,
                            end.pushed,
                            end.failed,
                            end.skipped,
                            end.tracked,
                            end.seconds,
                            end.critical_path,
                            copy_of<std::uint64_t>(end.critical_jobs)};
    for (const auto id : end.critical_jobs) self.job(id).critical = true;
  }
  void operator()(const event::JobStop&) {}
  void operator()(const event::JobRetry&) {}
  void operator()(const event::JobProcess&) {}
  void operator()(const event::ArtifactMove&) {}
  void operator()(const event::RunAsk&) {}
  void operator()(const event::RunUnchanged&) {}  // its end counts them
  void operator()(const event::JobCores& change) {
    self.job(change.job).cores.emplace_back(self.last_, change.cores);
  }

  void ends_now(RecordedJob& job) const {
    job.end = self.last_;
    if (job.is_suspended) job.suspended.back().second = self.last_;
  }
};

void RunRecord::on_event(const Event& event) {
  last_ = event.since_start;
  std::visit(Visitor{*this}, event.body);
}

RunRecord RunRecord::read(const std::string& events_file, std::initializer_list<Observer*> also) {
  RunRecord record;
  EventFile events(events_file);
  record.take(events, also);
  return record;
}

std::size_t RunRecord::take(EventFile& events, std::initializer_list<Observer*> also) {
  std::size_t taken = 0;
  while (take_one(events, also)) ++taken;
  for (auto& job : jobs_)
    if (job.result.empty()) Visitor{*this}.ends_now(job);
  return taken;
}

bool RunRecord::take_one(EventFile& events, std::initializer_list<Observer*> also) {
  const auto event = events.next();
  if (!event) return false;
  on_event(*event);
  if (run_.start.empty()) run_.start = events.time();
  for (auto* observer : also) observer->on_event(*event);
  return true;
}

const RecordedElement* RunRecord::element(const std::string& name) const {
  const auto at = element_places_.find(name);
  return at == element_places_.end() ? nullptr : &elements_[at->second];
}

RecordedJob& RunRecord::job(std::uint64_t id) {
  const auto [at, fresh] = job_places_.emplace(id, jobs_.size());
  if (fresh) jobs_.emplace_back().id = id;
  return jobs_[at->second];
}

RecordedElement& RunRecord::element_of(std::string_view name) {
  const auto [at, fresh] = element_places_.emplace(name, elements_.size());
  if (fresh) elements_.emplace_back().name = name;
  return elements_[at->second];
}

}  // namespace weir
