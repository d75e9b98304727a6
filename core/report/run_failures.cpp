#include "core/report/run_failures.h"

#include <algorithm>

namespace weir {

namespace {

constexpr std::size_t kNamed = 5;

}  // namespace

void RunFailures::on_event(const Event& event) {
  news_.reset();
  if (const auto* step = event.as<event::JobStep>()) {
    if (step->exit != 0) commands_[step->job] = {step->argv.begin(), step->argv.end()};
  } else if (const auto* end = event.as<event::JobEnd>()) {
    ended(*end);
  } else if (const auto* retry = event.as<event::JobRetry>()) {
    pending_.erase(std::string(retry->element));
  } else if (const auto* changed = event.as<event::ElementChanges>()) {
    changes_[std::string(changed->element)] = {changed->since,
                                               {changed->changes.begin(), changed->changes.end()}};
  } else if (const auto* ask = event.as<event::RunAsk>(); ask && ask->about == "failure") {
    failed(ask->element.text, ask->queue.text, {});
    if (news_) asked_[std::string(ask->element.text)] = *news_;
  } else if (const auto* one = event.as<event::ElementState>()) {
    state(*one);
  }
}

void RunFailures::ended(const event::JobEnd& end) {
  auto command = commands_.extract(end.job);
  if (end.result != "failed") return;
  FailedElement failure{std::string(end.element),
                        std::string(end.queue),
                        end.job,
                        std::string(end.failure.text),
                        end.exit,
                        end.seconds,
                        std::string(end.evidence.text),
                        {},
                        {},
                        0};
  if (command) failure.command = std::move(command.mapped());
  pending_[failure.element] = std::move(failure);
}

void RunFailures::state(const event::ElementState& state) {
  if (state.status == "failed") {
    // A person was asked about it and saw it then.
    if (asked_.erase(std::string(state.element)) == 0) failed(state.element, state.queue, state.reason.text);
    return;
  }
  pending_.erase(std::string(state.element));
  if (state.status == "ready") {
    // It is tried again after a person was asked: then it has not failed.
    const auto asked = asked_.find(std::string(state.element));
    if (asked == asked_.end()) return;
    const auto place = asked->second;
    asked_.erase(asked);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(place));
    for (auto& [name, other] : asked_) other -= other > place;
  } else if (state.status == "blocked" || state.status == "cancelled") {
    lost(state);
  }
}

void RunFailures::failed(std::string_view element, std::string_view queue, std::string_view reason) {
  auto known = pending_.extract(std::string(element));
  FailedElement failure;
  if (known) failure = std::move(known.mapped());
  failure.element = element;
  failure.queue = queue;
  if (!failure.job) failure.evidence = reason;
  if (auto changed = changes_.extract(failure.element)) {
    failure.changed_since = changed.mapped().first;
    failure.changes = std::move(changed.mapped().second);
  }
  all_.push_back(std::move(failure));
  news_ = all_.size() - 1;
}

void RunFailures::lost(const event::ElementState& state) {
  const std::string_view reason = state.status == "cancelled" ? "cancelled" : state.reason.text;
  const auto same = [&](const NotStarted& one) {
    return one.reason == reason && one.because == state.because.text;
  };
  auto at = std::find_if(not_started_.begin(), not_started_.end(), same);
  if (at == not_started_.end())
    at = not_started_.insert(at, {std::string(reason), std::string(state.because.text), 0, {}});
  ++at->count;
  if (at->names.size() < kNamed) at->names.emplace_back(state.element);
}

}  // namespace weir
