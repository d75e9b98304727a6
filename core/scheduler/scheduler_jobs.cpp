// The life of a job: scheduled, started, ended, retried.
#include "core/base/assert.h"
#include "core/base/text.h"
#include "core/scheduler/scheduler.h"

namespace weir {

void Scheduler::schedule_job(ElementId element) {
  auto& table = flow_.table();
  const JobId job{static_cast<std::uint32_t>(jobs_.size())};
  jobs_.push_back({element, static_cast<std::uint32_t>(table.queue(element)), false, kNoSlot});
  table.set_job(element, job);
  const auto& lanes = flow_.queue_of(element).needs(element).lanes;
  if (lanes.empty()) {
    make_ready(element);
    return;
  }
  table.move(element, Phase::laned);
  const auto ticket = lanes_.ask(lanes, index(element));
  tickets_[index(element)] = ticket;
  report_ready(element, !lanes_.is_admitted(ticket));
}

void Scheduler::make_ready(ElementId element) {
  auto& table = flow_.table();
  if (table.phase(element) != Phase::laned) report_ready(element, false);
  table.move(element, Phase::ready);
  const auto queue = table.queue(element);
  const auto request = request_of(element);
  if (!is_placed(queue)) {
    ready_[queue].insert(request, order_.position(element));
    return;
  }
  const auto build = table.build(element);
  ready_[queue].insert(request, order_.position(element), build);
  placing_->allocator.job_waiting(builds_[index(build)].work_class, build);
  unblock(build);  // this one may have other needs
}

// Tokens for the bucket's first job. Without them the bucket is not asked again in this epoch.
Ledger::Reservation Scheduler::reserve(std::size_t queue, ReadyJobs::Best best) {
  auto& bucket = *best.bucket;
  auto tokens = ledger_.try_reserve(bucket.request, bucket.claim);
  if (!tokens) {
    const auto shortage = ledger_.shortage(bucket.request, bucket.claim);
    ready_[queue].refused(bucket, shortage->token, epoch_, ledger_);
    report_wait(bucket, order_.at(best.position),
                ledger_.name(shortage->token) == "memory" ? "memory" : "token", &*shortage);
  }
  return tokens;
}

// It got what it needs, and leaves the line.
void Scheduler::granted(std::size_t queue, ReadyJobs::Best best) {
  const auto request = best.bucket->request;
  if (ready_[queue].granted(*best.bucket, best.position)) ++epoch_;
  for (auto& waiting : ready_) waiting.overtaken_by(ledger_.needs(request), ledger_);
}

bool Scheduler::try_start(std::size_t queue, ReadyJobs::Best best) {
  auto& bucket = *best.bucket;
  const auto element = order_.at(best.position);
  auto tokens = reserve(queue, best);
  if (!tokens || hold_back_for_memory(queue, best)) return false;
  if (!health_.allow()) {
    ready_[queue].put_off(bucket, epoch_);
    if (breaker_timer_ == TimerQueue::Id::none && health_.state() == CircuitBreaker::State::open)
      breaker_timer_ = set_timer(health_.retry_at(), Timer::breaker, 0);
    report_wait(bucket, element, "breaker", nullptr);
    return false;
  }
  granted(queue, best);
  start_job(element, std::move(tokens), health_.state() == CircuitBreaker::State::half_open);
  return true;
}

void Scheduler::start_job(ElementId element, Ledger::Reservation tokens, bool is_probe, WorkerId worker) {
  auto& table = flow_.table();
  const auto id = table.job(element);
  const auto slot = running_.take_slot();
  row_of(id).slot = slot;
  row_of(id).ran = true;
  auto& job = running_[slot];
  job.id = id;
  job.element = element;
  job.queue = static_cast<std::uint32_t>(table.queue(element));
  job.tokens = std::move(tokens);
  job.running_since = now_;
  job.is_probe = is_probe;
  job.worker = worker;
  if (!tickets_.empty()) {
    if (const auto ticket = tickets_.extract(index(element))) job.lanes = lanes_.take(ticket.mapped());
  }
  if (need_is_unknown(job.tokens.request())) ++unknown_running_;
  table.move(element, Phase::running);
  report_start(job);

  auto planned = flow_.queue_of(element).plan(element);
  if (!planned) {
    plugin_fault_ |= planned.error().reason == Reason::bug;
    JobResult result;
    result.ending = Ending::failed;
    result.failure = planned.error().reason == Reason::network ? Failure::network : Failure::infra;
    result.evidence = to_text(planned.error());
    finish_job(job, result);
    return;
  }
  job.spec = std::move(*planned);
  arm_limits(job);
  executor_of(job).start(id, job.spec, *this);
  begin_cores(job);
}

RunningJob* Scheduler::running(JobId job) {
  if (index(job) >= jobs_.size() || row_of(job).slot == kNoSlot) return nullptr;
  return &running_[row_of(job).slot];
}

// News of a job that is over, or was never started, is dropped here: an executor may say an end twice, or
// long after the job was declared lost and run again under another id.
void Scheduler::job_ended(JobId id, JobResult result) {
  if (auto* job = running(id)) finish_job(*job, result);
}

namespace {

// What a stop makes of the end that followed it. Work that was finished all the same is kept, unless the user
// wanted it gone.
void interpret_stop(StopReason reason, const JobSpec& spec, JobResult& result) {
  const bool unwanted = reason == StopReason::cancelled || reason == StopReason::shutdown;
  if (result.ending == Ending::succeeded && !unwanted) return;
  if (result.failure == Failure::lost && !unwanted) return;
  result.ending = Ending::cancelled;
  result.failure = Failure::none;
  if (reason == StopReason::timeout || reason == StopReason::stall) {
    result.ending = Ending::failed;
    result.failure = reason == StopReason::timeout ? Failure::timeout : Failure::stall;
    result.evidence = reason == StopReason::timeout
                          ? fmt::format("ran longer than {}", format_duration(spec.limits.timeout))
                          : fmt::format("wrote nothing for {}", format_duration(spec.limits.stall));
  }
}

}  // namespace

void Scheduler::finish_job(RunningJob& job, JobResult& result) {
  result.wall = job.running_time(now_);
  if (job.stopping && job.spec) interpret_stop(*job.stopping, *job.spec, result);
  timers_.cancel(job.limit_timer);
  timers_.cancel(job.stop_timer);
  if (job.worker != kNoWorker) leave_worker(job, result);
  elastic_ -= may_grow(job);
  note_health(job, result);
  note_memory(job, result);
  plugin_fault_ |= result.plugin_fault && result.ending == Ending::failed;
  const auto id = job.id;
  const auto element = job.element;
  const auto queue = job.queue;
  const auto spec = std::move(job.spec);
  const bool preempted = job.stopping == StopReason::preempted;
  const auto worker = job.worker;
  running_.free_slot(row_of(id).slot);
  row_of(id).slot = kNoSlot;
  flow_.table().set_job(element, kNoJob);
  note_spent(element, queue, result.wall);
  report_end(id, element, queue, result, spec.get());
  if (worker != kNoWorker) report_worker(worker);
  if (preempted && result.ending == Ending::cancelled && may_start(queue)) {
    schedule_job(element);  // charged no attempt
  } else {
    job_over(id, element, result);
  }
}

void Scheduler::job_over(JobId id, ElementId element, const JobResult& result) {
  if (result.ending == Ending::cancelled) {
    flow_.lose(element, Phase::cancelled, QueueStatus::cancelled, Why::none);
    return;
  }
  if (result.ending == Ending::failed && retry(id, element, result)) return;
  const auto meaning = flow_.queue_of(element).on_result(element, result);
  const bool hold_it = meaning.kind == Meaning::Kind::fail && options_.ask && !closing();
  if (!attempts_.empty() && !hold_it) attempts_.erase(index(element));
  switch (meaning.kind) {
    case Meaning::Kind::done: flow_.pass(element, QueueStatus::done, meaning.why); break;
    case Meaning::Kind::skip: flow_.pass(element, QueueStatus::skip, meaning.why, meaning.words); break;
    case Meaning::Kind::fail: {
      if (!meaning.evidence.empty())
        events_.emit([&] { return event::Diagnostic{"error", meaning.evidence}; });
      plugin_fault_ |= meaning.why == Why::plugin_fault;
      const auto failure = meaning.failure == Failure::none ? result.failure : meaning.failure;
      hold_it ? hold(id, element, failure) : fail_element(element, failure);
      break;
    }
  }
}

bool Scheduler::retry(JobId id, ElementId element, const JobResult& result) {
  const auto queue = flow_.table().queue(element);
  const auto& policy = flow_.queue_of(element).needs(element).retry;
  auto& attempts = attempts_[index(element)];
  auto& retried = attempts.retried[static_cast<std::size_t>(result.failure)];
  if (retried >= policy.of(result.failure) || !may_start(queue)) return false;
  const auto delay = policy.backoff.before(retried, random_);
  ++retried;
  ++attempts.made;
  attempts.last = result.failure;
  if (result.failure == Failure::oom) attempts.alone = alone(flow_.queue_of(element).needs(element).tokens);
  flow_.table().move(element, Phase::backoff);
  flow_.station(queue).keep(element, QueueStatus::wait);
  backoffs_[index(element)] = set_timer(now_ + delay, Timer::backoff, index(element));
  events_.emit([&] {
    event::JobRetry event;
    event.job = index(id);
    event.element = graph_.name(element);
    event.queue = flow_.station(queue).queue().name();
    event.failure = to_string(result.failure);
    event.attempt = attempts.made + 1;
    event.delay_ms = std::chrono::duration<double, std::milli>(delay).count();
    return event;
  });
  return true;
}

void Scheduler::fail_element(ElementId element, Failure failure, Why why, std::string_view words) {
  fail_element(element, failure, why, words, options_.on_error);
}

void Scheduler::fail_element(ElementId element, Failure failure, Why why, std::string_view words,
                             OnError policy) {
  failures_seen_ |= 1u << static_cast<unsigned>(failure);
  flow_.lose(element, Phase::failed, QueueStatus::failed, why, kNoElement, words);
  if (policy == OnError::go_on) return;
  close();
  if (policy == OnError::terminate)
    running_.for_each([&](RunningJob& job) { stop(job, StopReason::shutdown); });
}

void Scheduler::note_spent(ElementId element, std::size_t queue, Duration wall) {
  auto& spent = spent_[index(element)];
  auto& part = queue < flow_.makes() ? spent.before : queue == flow_.makes() ? spent.making : spent.after;
  part += static_cast<float>(std::chrono::duration<double>(wall).count());
}

namespace {

void note(CircuitBreaker& health, const RunningJob& job, const JobResult& result) {
  if (result.ending == Ending::cancelled) {
    if (job.is_probe) health.abandon();
  } else if (result.failure == Failure::infra || result.failure == Failure::lost) {
    health.failure();
  } else {
    health.success();
  }
}

}  // namespace

void Scheduler::note_health(const RunningJob& job, const JobResult& result) {
  if (job.worker == kNoWorker) {
    note(health_, job, result);
    return;
  }
  auto& workers = placing_->workers;
  const auto before = workers[job.worker].health.state();
  workers.change(job.worker, [&](Worker& worker) { note(worker.health, job, result); });
  if (workers[job.worker].health.state() == before) return;
  recount_places();
  wait_for_worker(job.worker);
}

}  // namespace weir
