// What is told of a run, and its end.
#include <algorithm>

#include "core/base/assert.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/scheduler/scheduler.h"

namespace weir {

namespace {
double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
}  // namespace

void Scheduler::report_ready(ElementId element, bool in_lane) {
  const auto queue = flow_.table().queue(element);
  flow_.station(queue).keep(element, QueueStatus::ready);
  events_.emit([&] {
    event::ElementState state;
    state.element = graph_.name(element);
    state.queue = flow_.station(queue).queue().name();
    state.status = to_string(QueueStatus::ready);
    if (queue == flow_.makes()) state.expected = forecast_.expected(element);
    return state;
  });
  if (!in_lane) return;
  events_.emit([&] {
    event::JobWait wait;
    wait.job = index(flow_.table().job(element));
    wait.element = graph_.name(element);
    wait.queue = flow_.station(queue).queue().name();
    wait.what = "lane";
    wait.name.text = lanes_.name(lanes_.held_back_by(tickets_.at(index(element))));
    return wait;
  });
}

// Only of the first job of a bucket, and once for each reason: those behind it wait for the same, and a run
// of a million jobs does not say a million times that there are two cores.
void Scheduler::report_wait(ReadyJobs::Bucket& bucket, ElementId element, std::string_view what,
                            const Shortage* shortage) {
  const auto job = flow_.table().job(element);
  if (bucket.told == job && bucket.told_what == what) return;
  bucket.told = job;
  bucket.told_what = what;
  events_.emit([&] {
    event::JobWait wait;
    wait.job = index(job);
    wait.element = graph_.name(element);
    wait.queue = flow_.queue_of(element).name();
    wait.what = what;
    if (shortage) {
      wait.name.text = ledger_.name(shortage->token);
      wait.need = shortage->need;
      wait.free = shortage->free;
    } else {
      wait.name.text =
          what == "class" ? builds_[index(flow_.table().build(element))].class_name : place_name();
    }
    return wait;
  });
}

void Scheduler::report_start(const RunningJob& job) {
  flow_.station(job.queue).keep(job.element, QueueStatus::running);
  if (!events_.heard()) return;
  log_debug("job {} starts: {} {}", index(job.id), flow_.station(job.queue).queue().name(),
            graph_.name(job.element));
  const auto attempts = attempts_.find(index(job.element));
  std::vector<std::pair<std::string_view, std::int64_t>> tokens;
  for (const auto& need : ledger_.needs(job.tokens.request()))
    tokens.emplace_back(ledger_.name(need.token), need.amount);
  const auto key = flow_.station(job.queue).queue().key(job.element);
  events_.emit([&] {
    event::JobStart start;
    start.key.text = key;
    start.job = index(job.id);
    start.element = graph_.name(job.element);
    start.queue = flow_.station(job.queue).queue().name();
    start.attempt = attempts == attempts_.end() ? 1 : attempts->second.made + 1;
    const auto& build = builds_[index(flow_.table().build(job.element))];
    start.worker = job.worker == kNoWorker ? options_.worker : placing_->workers[job.worker].name;
    start.requestor.text = build.requestor;
    start.job_class.text = build.class_name;
    start.tokens = tokens;
    start.rest = forecast_.rest(job.element);
    if (job.queue == flow_.makes()) start.expected = forecast_.expected(job.element);
    return start;
  });
}

namespace {

// Without the passwords of URLs: events are kept, and shown to others.
std::vector<std::string> words_of(const Step& step) {
  std::vector<std::string> words;
  if (const auto* run = std::get_if<RunStep>(&step)) words = run->argv;
  if (const auto* download = std::get_if<DownloadStep>(&step)) words = {"download", download->url};
  if (const auto* unpack = std::get_if<UnpackStep>(&step)) words = {"unpack", unpack->from, unpack->to};
  for (auto& word : words) word = without_passwords(word);
  return words;
}

}  // namespace

void Scheduler::report_end(JobId job, ElementId element, std::size_t queue, const JobResult& result,
                           const JobSpec* spec) {
  if (!events_.heard()) return;
  log_debug("job {} ended: {} {} {}", index(job), to_string(result.ending), to_string(result.failure),
            result.evidence);
  for (const auto& step : result.steps) {
    const auto words = spec && step.step < spec->steps.size() ? words_of(spec->steps[step.step])
                                                              : std::vector<std::string>();
    const std::vector<std::string_view> argv(words.begin(), words.end());
    events_.emit([&] { return event::JobStep{index(job), step.step, argv, seconds(step.wall), step.exit}; });
  }
  events_.emit([&] {
    event::JobEnd end;
    end.job = index(job);
    end.element = graph_.name(element);
    end.queue = flow_.station(queue).queue().name();
    end.result = to_string(result.ending);
    if (result.failure != Failure::none) end.failure.text = to_string(result.failure);
    const bool has_exit = result.signal != 0 || result.exit != 0;
    if (has_exit && (result.failure == Failure::command || result.failure == Failure::oom))
      end.exit = result.signal ? 128 + result.signal : result.exit;
    end.seconds = seconds(result.wall);
    end.cpu_seconds = seconds(result.usage.cpu);
    end.peak_bytes = result.usage.peak_bytes;
    end.evidence.text = result.evidence;
    return end;
  });
}

// Nothing runs and nothing can come any more: a run that ends early does not wait for answers either. Jobs
// that wait for tokens keep the run open even if nothing runs: the count may be raised again, and a circuit
// breaker has its timer.
bool Scheduler::over() const {
  const auto& table = flow_.table();
  return !asking() && running_.empty() && table.count(Phase::arrived) == 0 &&
         table.count(Phase::passed) == 0 && table.count(Phase::ready) == 0 &&
         table.count(Phase::placing) == 0 && table.count(Phase::laned) == 0 &&
         table.count(Phase::backoff) == 0 &&
         (closing_ || cancelled_exit_ || (flow_.asking() == 0 && expected_ == 0)) && door_.empty();
}

void Scheduler::settle_unfinished() {
  auto& table = flow_.table();
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    const ElementId element{i};
    switch (table.phase(element)) {
      case Phase::idle:
      case Phase::parked: table.move(element, Phase::unneeded); break;
      case Phase::waiting:
        WEIR_ASSERT(closing_ || failures_seen_ || table.count(Phase::cancelled),
                    "{} waits for ever though nothing failed", graph_.name(element));
        flow_.lose(element, Phase::blocked, QueueStatus::blocked, Why::quitting);
        break;
      default: break;
    }
  }
}

// The longest chain of jobs that waited for each other: of an element what came before its making, or the
// chain of the dependency that was there last; then its making, then what nobody waited for.
Scheduler::CriticalPath Scheduler::critical_path() const {
  std::vector<double> made(graph_.size());  // when its artifact could be there with tokens without end
  std::vector<ElementId> came_last(graph_.size(), kNoElement);
  CriticalPath path;
  auto end = kNoElement;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    const auto& spent = spent_[i];
    double ready = static_cast<double>(spent.before);
    for (const auto dependency : graph_.build_dependencies(ElementId{i})) {
      if (made[index(dependency)] <= ready) continue;
      ready = made[index(dependency)];
      came_last[i] = dependency;
    }
    made[i] = ready + static_cast<double>(spent.making);
    if (made[i] + static_cast<double>(spent.after) <= path.seconds) continue;
    path.seconds = made[i] + static_cast<double>(spent.after);
    end = ElementId{i};
  }
  std::vector<ElementId> chain;
  for (auto element = end; element != kNoElement; element = came_last[index(element)])
    chain.push_back(element);
  std::reverse(chain.begin(), chain.end());
  path.jobs = jobs_of_chain(chain);
  return path;
}

// Of the first element also what came before its making, of the last one also what came behind it. Jobs that
// never ran spent nothing; attempts that failed did.
std::vector<std::uint64_t> Scheduler::jobs_of_chain(std::span<const ElementId> chain) const {
  std::unordered_map<std::uint32_t, std::size_t> place;
  for (std::size_t i = 0; i < chain.size(); ++i) place.emplace(index(chain[i]), i);
  std::vector<std::pair<std::size_t, std::uint64_t>> found;
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
    const auto at = jobs_[job].ran ? place.find(index(jobs_[job].element)) : place.end();
    if (at == place.end()) continue;
    const bool counts = jobs_[job].queue == flow_.makes() ||
                        (jobs_[job].queue < flow_.makes() ? at->second == 0 : at->second + 1 == chain.size());
    if (counts) found.emplace_back(at->second, job);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::uint64_t> jobs;
  for (const auto& [where, job] : found) jobs.push_back(job);
  return jobs;
}

namespace {

RunSummary::Counts count(const Flow& flow) {
  RunSummary::Counts counts;
  for (std::size_t queue = 0; queue < flow.queues(); ++queue) {
    const auto& station = flow.station(queue);
    const auto name = station.queue().name();
    std::uint64_t done = 0, cached = 0;
    for (std::uint32_t i = 0; i < flow.graph().size(); ++i) {
      const auto kept = station.kept(ElementId{i});
      done += kept.status == QueueStatus::done;
      cached += kept.status == QueueStatus::skip && kept.why == Why::cached;
    }
    if (name == "track") counts.tracked = done;
    if (name == "pull") counts.pulled = done;
    if (name == "fetch") counts.fetched = done;
    if (name == "push") counts.pushed = done;
    if (queue == flow.makes()) {
      counts.built = done;
      counts.cached = cached - std::min(cached, counts.pulled);  // what was pulled was not there before
    }
  }
  counts.failed = flow.table().count(Phase::failed);
  counts.skipped = flow.table().count(Phase::blocked) + flow.table().count(Phase::cancelled);
  return counts;
}

}  // namespace

void Scheduler::finish() {
  settle_unfinished();
  assert_clean();
  const auto not_kept = options_.keep_all ? options_.keep_all() : std::nullopt;
  if (not_kept) events_.emit([&] { return event::Diagnostic{"error", not_kept->text}; });
  RunSummary summary;
  summary.counts = count(flow_);
  summary.counts.cached += options_.unchanged.cached;
  summary.wall = events_.since_start();
  const auto path = critical_path();
  summary.critical_path = path.seconds;
  if (cancelled_exit_) {
    summary.ending = Ending::cancelled;
    summary.exit = *cancelled_exit_;
  } else if (failures_seen_) {
    summary.ending = Ending::failed;
    constexpr int kFault = 70;  // weir or a plugin broke its own rules
    summary.exit = plugin_fault_ ? kFault : exit_code(failures_seen_);
  } else if (not_kept) {
    summary.ending = Ending::failed;
    summary.exit = not_kept->exit;
  } else if (summary.counts.skipped > 0) {
    constexpr int kInterrupted = 130;  // somebody cancelled a job, or asked to quit
    summary.ending = Ending::cancelled;
    summary.exit = kInterrupted;
  }
  summary_ = summary;
  events_.emit([&] {
    const auto& c = summary.counts;
    return event::RunEnd{to_string(summary.ending),
                         summary.exit,
                         c.built,
                         c.cached,
                         c.fetched,
                         c.pulled,
                         c.pushed,
                         c.failed,
                         c.skipped,
                         seconds(summary.wall),
                         summary.critical_path,
                         c.tracked,
                         path.jobs};
  });
}

void Scheduler::assert_clean() const {
  WEIR_ASSERT(running_.empty(), "{} jobs run after the end", running_.size());
  WEIR_ASSERT(ledger_.idle(), "tokens are held after the end");
  WEIR_ASSERT(lanes_.idle(), "lanes are held after the end");
  for (std::uint32_t i = 0; i < graph_.size(); ++i)
    WEIR_ASSERT(is_final(flow_.table().phase(ElementId{i})), "{} is {} after the end",
                graph_.name(ElementId{i}), to_string(flow_.table().phase(ElementId{i})));
}

}  // namespace weir
