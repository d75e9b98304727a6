#include "core/scheduler/scheduler.h"

#include "core/base/assert.h"

namespace weir {

namespace {

Failure failure_of(Why why) {
  if (why == Why::failed_before || why == Why::gate_not_passed || why == Why::not_built)
    return Failure::command;
  return why == Why::plugin_fault ? Failure::infra : Failure::source;
}

}  // namespace

Scheduler::Scheduler(Parts parts, SchedulerOptions options, std::span<const std::uint32_t> weights,
                     std::span<const std::uint32_t> recorded)
    : graph_(parts.graph),
      ledger_(parts.ledger),
      lanes_(parts.lanes),
      executor_(parts.executor),
      clock_(parts.clock),
      events_(parts.events),
      lender_(parts.lender),
      options_(std::move(options)),
      forecast_(parts.graph, weights, recorded),
      flow_(parts.graph, parts.row, parts.events, forecast_),
      order_(forecast_.remaining()),
      spent_(parts.graph.size()),
      health_(parts.clock, options_.breaker),
      random_(options_.seed),
      machine_{parts.ledger.find("process"), parts.ledger.find("memory")},
      brake_(parts.brake) {
  for (std::size_t queue = 0; queue < flow_.queues(); ++queue) ready_.emplace_back(graph_.size());
  if (parts.placement) set_up_placement(*parts.placement);
  cores_ = ledger_.find("process");
  if (!cores_) return;
  const TokenNeed one{*cores_, 1, false};
  if (const auto request = ledger_.intern({&one, 1})) one_core_ = *request;
}

Scheduler::~Scheduler() {
  if (!running_.empty()) {
    executor_.join();
    for (std::uint32_t w = 0; placing_ && w < placing_->workers.size(); ++w)
      placing_->workers[WorkerId{w}].executor->join();
  }
  for (const auto& [element, ticket] : tickets_)
    if (const auto phase = flow_.table().phase(ElementId{element});
        phase == Phase::laned || phase == Phase::ready || phase == Phase::placing)
      lanes_.withdraw(ticket);
}

void Scheduler::start(std::span<const ElementId> wanted) {
  std::vector<ElementId> all;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) all.push_back(ElementId{i});
  start(wanted, all);
}

void Scheduler::start(std::span<const ElementId> wanted, std::span<const ElementId> planned) {
  events_.emit([&] {
    static thread_local std::vector<std::string_view> names;
    names.clear();
    for (std::size_t queue = 0; queue < flow_.queues(); ++queue)
      names.push_back(flow_.station(queue).queue().name());
    std::size_t edges = 0;
    for (const auto element : planned)
      edges += graph_.build_dependencies(element).size() + graph_.runtime_dependencies(element).size();
    static thread_local std::vector<std::pair<std::string_view, std::int64_t>> tokens;
    tokens.clear();
    for (std::size_t i = 0; i < ledger_.tokens(); ++i) {
      const TokenId token{static_cast<std::uint16_t>(i)};
      tokens.emplace_back(ledger_.name(token), ledger_.capacity(token));
    }
    const auto& more = options_.unchanged;
    return event::RunPlan{planned.size() + more.elements, edges + more.edges, names, tokens};
  });
  if (options_.unchanged.elements > 0)
    events_.emit([&] { return event::RunUnchanged{options_.unchanged.elements, options_.unchanged.cached}; });
  if (placing_) start_workers();
  const auto build = add_build(options_.requestor);
  flow_.begin(planned);
  for (const auto element : wanted) flow_.want(element, build);
}

std::optional<Time> Scheduler::step() {
  if (finished()) return std::nullopt;
  now_ = clock_.now();
  ++epoch_;
  door_.take(inputs_);
  if (placing_) foretell_ends();
  take_loan();
  for (auto& input : inputs_) apply(input);
  while (const auto timer = timers_.pop_due(now_)) fire(*timer);
  do {
    while (round()) {
    }
  } while (rebalance());
  share_cores();
  if (over()) finish();
  const auto timer = timers_.next();
  const auto placement = next_placement();
  return timer && placement ? std::min(*timer, *placement) : timer ? timer : placement;
}

void Scheduler::apply(LoopInput& any) {
  struct Visitor {
    Scheduler& self;
    void operator()(input::JobStarted& in) { self.process_started(in); }
    void operator()(input::JobOutput& in) { self.heard(in.job, true); }
    void operator()(input::JobUsage& in) { self.heard(in.job, false); }
    void operator()(input::JobCores& in) { self.cores_came_back(in); }
    void operator()(input::JobEnded& in) { self.job_ended(in.job, std::move(in.result)); }
    void operator()(input::CancelJob& in) { self.cancel_job(in.job); }
    void operator()(input::CancelAll&) { self.cancel_jobs(); }
    void operator()(input::CancelRun& in) { self.cancel_run(in); }
    void operator()(input::Quit&) { self.close(); }
    void operator()(input::SuspendJob& in) {
      if (auto* job = self.running(in.job)) self.suspend(*job);
    }
    void operator()(input::ResumeJob& in) {
      if (auto* job = self.running(in.job)) self.resume(*job);
    }
    void operator()(input::SuspendAll&) { self.suspend_all(); }
    void operator()(input::ResumeAll&) { self.resume_all(); }
    void operator()(input::SetTokens& in) { self.set_tokens(in); }
    void operator()(input::News& in) { self.flow_.news(in.element); }
    void operator()(input::Submit& in) { self.submit(in); }
    void operator()(input::Expect& in) { self.expected_ += in.builds; }
    void operator()(input::Wake&) {}
    void operator()(input::Interrupt&) { self.interrupt(); }
    void operator()(input::Answer& in) { self.answer(in.choice); }
    void operator()(input::OrderWorker& in) { self.order_worker(in.worker, in.order); }
  };
  std::visit(Visitor{*this}, any);
}

TimerQueue::Id Scheduler::set_timer(Time at, Timer kind, std::uint32_t id) {
  return timers_.set(at, (static_cast<std::uint64_t>(kind) << 32) | id);
}

void Scheduler::fire(std::uint64_t timer) {
  const auto id = static_cast<std::uint32_t>(timer);
  switch (static_cast<Timer>(timer >> 32)) {
    case Timer::limit: check_limits(*running(JobId{id})); break;
    case Timer::stop:
      declare_lost(*running(JobId{id}), "nothing was heard of it after it was stopped");
      break;
    case Timer::backoff:
      backoffs_.erase(id);
      schedule_job(ElementId{id});
      break;
    case Timer::breaker: breaker_timer_ = TimerQueue::Id::none; break;  // waking up is enough
    case Timer::memory: memory_timer_ = TimerQueue::Id::none; break;    // likewise
    case Timer::worker: worker_cooled_down(WorkerId{id}); break;
  }
}

bool Scheduler::round() {
  flow_.settle();
  for (const auto element : lanes_.admitted()) make_ready(ElementId{element});
  bool moved = flow_.hand_on();
  for (std::size_t queue = flow_.queues(); queue-- > 0;) {
    moved |= classify_arrivals(queue);
    moved |= is_placed(queue) ? start_placed() : start_ready(queue);
  }
  return moved;
}

bool Scheduler::classify_arrivals(std::size_t queue) {
  auto& station = flow_.station(queue);
  if (station.input().empty()) return false;
  for (const auto element : station.input().take()) {
    if (flow_.table().phase(element) != Phase::arrived) continue;  // cancelled meanwhile
    const auto verdict = station.queue().classify(element, flow_.progress());
    if (verdict.wants_dependencies && !closing_) flow_.want_dependencies(element);
    switch (verdict.kind) {
      case Verdict::Kind::skip: flow_.pass(element, QueueStatus::skip, verdict.why, verdict.words); break;
      case Verdict::Kind::wait: flow_.wait(element, verdict.on, verdict.why); break;
      case Verdict::Kind::ready:
        if (may_start(queue)) {
          schedule_job(element);
        } else {
          flow_.lose(element, Phase::blocked, QueueStatus::blocked, Why::quitting);
        }
        break;
      case Verdict::Kind::never:
        if (verdict.why == Why::dependency_failed) {
          flow_.lose(element, Phase::blocked, QueueStatus::blocked, verdict.why, verdict.on);
        } else {
          plugin_fault_ |= verdict.why == Why::plugin_fault;
          fail_element(element, failure_of(verdict.why), verdict.why, verdict.words);
        }
        break;
    }
  }
  return true;
}

// After an error nothing new is made, but what is made still goes on: queues behind the one that makes stay
// open.
bool Scheduler::may_start(std::size_t queue) const {
  if (cancelled_exit_) return false;
  return !closing_ || (flow_.makes() != Row::kNone && queue > flow_.makes());
}

bool Scheduler::start_ready(std::size_t queue) {
  if (paused_) return false;
  bool started = false;
  while (const auto best = ready_[queue].best(epoch_)) started |= try_start(queue, *best);
  return started;
}

}  // namespace weir
