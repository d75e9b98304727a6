// Orders from outside, and limits: cancel, quit, suspend, resume, stop, time-outs.
#include "core/base/assert.h"
#include "core/base/text.h"
#include "core/scheduler/scheduler.h"

namespace weir {

void Scheduler::cancel_job(JobId id) {
  if (auto* job = running(id)) {
    stop(*job, StopReason::cancelled);
  } else if (index(id) < jobs_.size()) {
    const auto element = row_of(id).element;
    const bool between_attempts = flow_.table().phase(element) == Phase::backoff;
    if (flow_.table().job(element) == id || between_attempts) cancel_waiting(element);
  }
}

void Scheduler::cancel_waiting(ElementId element) {
  withdraw(element, Ending::cancelled);
  flow_.lose(element, Phase::cancelled, QueueStatus::cancelled, Why::none);
}

// Takes a job that has not started, or waits for its next attempt, out of all lines. Its element keeps its
// phase.
void Scheduler::withdraw(ElementId element, Ending ending) {
  auto& table = flow_.table();
  const auto queue = table.queue(element);
  if (table.phase(element) == Phase::ready) leave_line(element);
  if (table.phase(element) == Phase::placing) withdraw_placed(element);
  if (const auto ticket = tickets_.find(index(element)); ticket != tickets_.end()) {
    lanes_.withdraw(ticket->second);
    tickets_.erase(ticket);
  }
  if (const auto backoff = backoffs_.find(index(element)); backoff != backoffs_.end()) {
    timers_.cancel(backoff->second);
    backoffs_.erase(backoff);
    return;  // its job ended already
  }
  if (drop_held(element)) return;  // so did this one's
  JobResult result;
  result.ending = ending;
  report_end(table.job(element), element, queue, result, nullptr);
  table.set_job(element, kNoJob);
}

void Scheduler::leave_line(ElementId element) {
  const auto queue = flow_.table().queue(element);
  const auto request = request_of(element);
  if (!is_placed(queue)) {
    ready_[queue].erase(request, order_.position(element));
    return;
  }
  const auto build = flow_.table().build(element);
  ready_[queue].erase(request, order_.position(element), build);
  placing_->allocator.job_withdrawn(builds_[index(build)].work_class, build);
}

void Scheduler::submit(input::Submit& submission) {
  const auto build = add_build(std::move(submission.requestor));
  events_.emit([&] {
    return event::Control{"submit",
                          {builds_[index(build)].requestor},
                          static_cast<std::int64_t>(submission.elements.size()),
                          {}};
  });
  flow_.begin(submission.planned);
  for (const auto element : submission.elements) flow_.want(element, build);
}

std::vector<ElementId> Scheduler::waiting_jobs() const {
  std::vector<ElementId> all;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    const auto phase = flow_.table().phase(ElementId{i});
    if (phase == Phase::laned || phase == Phase::ready || phase == Phase::placing || phase == Phase::backoff)
      all.push_back(ElementId{i});
  }
  return all;
}

void Scheduler::cancel_jobs() {
  for (const auto element : waiting_jobs()) cancel_waiting(element);
  running_.for_each([&](RunningJob& job) { stop(job, StopReason::cancelled); });
}

void Scheduler::cancel_run(const input::CancelRun& order) {
  fail_held(OnError::go_on);  // nobody will answer any more
  stop_asking();
  if (!cancelled_exit_) cancelled_exit_ = order.exit;
  closing_ = true;
  paused_ = false;  // stopped jobs have to end
  for (const auto element : waiting_jobs()) cancel_waiting(element);
  running_.for_each([&](RunningJob& job) {
    stop(job, StopReason::shutdown);
    if (order.at_once) executor_of(job).stop(job.id, StopReason::shutdown, Duration::zero());
  });
}

void Scheduler::close() {
  if (closing_) return;
  closing_ = true;
  if (!held_.empty()) {
    fail_held(OnError::go_on);
    stop_asking();
  }
  ++epoch_;
  for (const auto element : waiting_jobs()) {
    if (may_start(flow_.table().queue(element))) continue;
    const bool between_attempts = flow_.table().phase(element) == Phase::backoff;
    withdraw(element, Ending::skipped);
    if (between_attempts) {
      fail_element(element, attempts_[index(element)].last);
    } else {
      flow_.lose(element, Phase::blocked, QueueStatus::blocked, Why::quitting);
    }
  }
}

void Scheduler::suspend(RunningJob& job) {
  if (job.suspended || job.stopping) return;
  job.ran_before = job.running_time(now_);
  job.suspended = true;
  timers_.cancel(job.limit_timer);
  job.limit_timer = TimerQueue::Id::none;
  flow_.table().move(job.element, Phase::suspended);
  events_.emit([&] { return event::JobSuspend{index(job.id)}; });
  executor_of(job).suspend(job.id);
  ask_back(job, job.grown.size());  // those that it uses come back when it goes on
}

void Scheduler::resume(RunningJob& job) {
  if (!job.suspended || job.stopping) return;
  job.suspended = false;
  job.running_since = now_;
  flow_.table().move(job.element, Phase::running);
  events_.emit([&] { return event::JobResume{index(job.id)}; });
  arm_limits(job);
  executor_of(job).resume(job.id);
}

void Scheduler::suspend_all() {
  paused_ = true;
  running_.for_each([&](RunningJob& job) { suspend(job); });
}

void Scheduler::resume_all() {
  paused_ = false;
  running_.for_each([&](RunningJob& job) { resume(job); });
}

void Scheduler::set_tokens(const input::SetTokens& change) {
  const auto token = ledger_.find(change.token);
  const auto status = token ? ledger_.set_capacity(*token, change.capacity)
                            : Status(fail(Reason::usage, fmt::format("there is no token {}", change.token)));
  events_.emit([&]() -> event::Body {
    if (!status) return event::Diagnostic{"warning", status.error().message};
    return event::Control{"tokens", {change.token}, change.capacity, {}};
  });
  if (!placing_ || !status) return;
  put_back_beyond(*token);
  follow_slots();
  recount_places();
}

void Scheduler::stop(RunningJob& job, StopReason reason) {
  if (job.stopping) {
    // The run is being cancelled: that outweighs any other reason.
    if (reason == StopReason::shutdown || reason == StopReason::cancelled) job.stopping = reason;
    return;
  }
  job.stopping = reason;
  timers_.cancel(job.limit_timer);
  job.limit_timer = TimerQueue::Id::none;
  job.stop_timer = set_timer(now_ + options_.grace + options_.stop_margin, Timer::stop, index(job.id));
  events_.emit([&] { return event::JobStop{index(job.id), to_string(reason)}; });
  executor_of(job).stop(job.id, reason, options_.grace);
}

void Scheduler::process_started(const input::JobStarted& news) {
  heard(news.job, false);
  if (news.pid > 0 && running(news.job))
    events_.emit([&] { return event::JobProcess{index(news.job), news.pid}; });
}

void Scheduler::heard(JobId id, bool output) {
  auto* job = running(id);
  if (!job) return;
  job->alive_at = job->running_time(now_);
  if (output) job->heard_at = job->alive_at;
}

namespace {

// Running time at which the next limit is reached; Duration::max() if there is none.
Duration next_limit(const RunningJob& job, Duration lost_after) {
  auto next = Duration::max();
  const auto consider = [&](Duration limit, Duration since) {
    if (limit > Duration::zero()) next = std::min(next, since + limit);
  };
  consider(job.spec->limits.timeout, Duration::zero());
  consider(job.spec->limits.stall, job.heard_at);
  consider(lost_after, job.alive_at);
  return next;
}

}  // namespace

// Output does not move the timer: it only notes when it came, and the timer looks at that when it fires. A
// job that writes a million lines sets no million timers.
void Scheduler::arm_limits(RunningJob& job) {
  const auto next = next_limit(job, options_.lost_after);
  if (next == Duration::max()) return;
  job.limit_timer = set_timer(now_ + (next - job.running_time(now_)), Timer::limit, index(job.id));
}

void Scheduler::check_limits(RunningJob& job) {
  job.limit_timer = TimerQueue::Id::none;
  const auto ran = job.running_time(now_);
  const auto& limits = job.spec->limits;
  const auto reached = [&](Duration limit, Duration since) {
    return limit > Duration::zero() && ran - since >= limit;
  };
  if (reached(limits.timeout, Duration::zero())) {
    stop(job, StopReason::timeout);
  } else if (reached(limits.stall, job.heard_at)) {
    stop(job, StopReason::stall);
  } else if (reached(options_.lost_after, job.alive_at)) {
    declare_lost(job, fmt::format("nothing was heard of it for {}", format_duration(options_.lost_after)));
  } else {
    arm_limits(job);
  }
}

void Scheduler::declare_lost(RunningJob& job, std::string evidence) {
  executor_of(job).stop(job.id, StopReason::shutdown, Duration::zero());  // whatever is left of it
  JobResult result;
  result.ending = Ending::failed;
  result.failure = Failure::lost;
  result.evidence = std::move(evidence);
  finish_job(job, result);
}

}  // namespace weir
