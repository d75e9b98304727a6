// A person at the terminal decides: about each failure, and after an interrupt. All jobs are suspended until
// the answer, so that nothing more happens behind the question.
#include <algorithm>

#include "core/scheduler/scheduler.h"

namespace weir {

namespace {

constexpr std::string_view kWithdrawn = "withdrawn";  // nobody waits for an answer any more

std::string_view to_string(input::Choice choice) {
  switch (choice) {
    case input::Choice::go_on: return "continue";
    case input::Choice::quit: return "quit";
    case input::Choice::terminate: return "terminate";
    case input::Choice::retry: return "retry";
  }
  return "";
}

}  // namespace

// The element waits for its next attempt, which only the answer can give it.
void Scheduler::hold(JobId job, ElementId element, Failure failure) {
  flow_.table().move(element, Phase::backoff);
  flow_.station(flow_.table().queue(element)).keep(element, QueueStatus::wait);
  attempts_[index(element)].last = failure;
  held_.push_back({job, element, failure});
  ask_next();
}

// Whether it was one of those.
bool Scheduler::drop_held(ElementId element) {
  const auto at =
      std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return one.element == element; });
  if (at == held_.end()) return false;
  const bool asked = asking_ == Asking::failure && at == held_.begin();
  if (asked) report_answer(kWithdrawn);
  held_.erase(at);
  if (asked) {
    asking_ = Asking::nothing;
    ask_next();
    if (!asking()) resume_all();
  }
  return true;
}

void Scheduler::interrupt() {
  if (closing() && !paused_ && running_.empty()) return;
  interrupted_ = true;
  ask_next();
}

// One question at a time. Without any left, all goes on.
void Scheduler::ask_next() {
  if (asking()) return;
  if (!interrupted_ && held_.empty()) return;
  suspend_all();
  event::RunAsk ask;
  if (interrupted_) {
    asking_ = Asking::interrupt;
    ask.about = "interrupt";
  } else {
    const auto& held = held_.front();
    asking_ = Asking::failure;
    ask.about = "failure";
    ask.element.text = graph_.name(held.element);
    ask.queue.text = flow_.queue_of(held.element).name();
    ask.job = index(held.job);
  }
  events_.emit([&] { return ask; });
}

void Scheduler::answer(input::Choice choice) {
  if (!asking()) return;  // the question is gone: somebody cancelled the job, or the run
  report_answer(to_string(choice));
  asking_ == Asking::failure ? answer_failure(choice) : answer_interrupt(choice);
}

void Scheduler::answer_failure(input::Choice choice) {
  if (choice == input::Choice::quit || choice == input::Choice::terminate) {
    asking_ = Asking::nothing;
    interrupted_ = false;
    fail_held(choice == input::Choice::quit ? OnError::quit : OnError::terminate);
    resume_all();
    return;
  }
  const auto held = held_.front();
  held_.pop_front();
  asking_ = Asking::nothing;
  if (choice == input::Choice::retry) {
    attempts_[index(held.element)].retried = {};
    ++attempts_[index(held.element)].made;
    flow_.again(held.element);
  } else {
    attempts_.erase(index(held.element));
    fail_element(held.element, held.failure, Why::none, {}, OnError::go_on);
  }
  ask_next();
  if (!asking()) resume_all();
}

void Scheduler::answer_interrupt(input::Choice choice) {
  asking_ = Asking::nothing;
  interrupted_ = false;
  constexpr int kInterrupted = 130;
  if (choice == input::Choice::terminate) return cancel_run({kInterrupted, false});
  if (choice == input::Choice::quit) close();
  ask_next();
  if (!asking()) resume_all();
}

void Scheduler::report_answer(std::string_view text) {
  events_.emit([&] {
    const bool about_failure = asking_ == Asking::failure && !held_.empty();
    return event::Control{
        "answer", {about_failure ? graph_.name(held_.front().element) : std::string_view()}, {}, {text}};
  });
}

void Scheduler::fail_held(OnError policy) {
  const auto all = std::exchange(held_, {});
  for (const auto& held : all) {
    attempts_.erase(index(held.element));
    fail_element(held.element, held.failure, Why::none, {}, policy);
  }
}

// The question is not answered any more; after fail_held().
void Scheduler::stop_asking() {
  if (!asking()) return;
  report_answer(kWithdrawn);
  asking_ = Asking::nothing;
  interrupted_ = false;
  resume_all();
}

}  // namespace weir
