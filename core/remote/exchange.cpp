#include "core/remote/exchange.h"

#include <algorithm>

#include "core/base/assert.h"

namespace weir {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(100);  // how often patience is asked
constexpr Duration kFarewell = std::chrono::seconds(1);     // for operations that were cancelled

RemoteEnd cut_off() { return {RemoteOutcome::cancelled, "it was given up"}; }

}  // namespace

Exchange::Exchange(RemoteLine& line, std::stop_token stop) : line_(line), stop_(std::move(stop)) {}

Exchange::~Exchange() {
  std::unique_lock lock(line_.mutex_);
  if (operations_.empty()) return;
  cancel_all(lock);
  const auto done = [&] {
    while (auto event = take_heard()) {
    }
    return operations_.empty();
  };
  news_.wait_for(lock, kFarewell, done);
  leave_behind();
}

bool Exchange::has_room() const {
  const std::lock_guard lock(line_.mutex_);
  return operations_.empty() || (!ending_ && line_.running_.size() < line_.options_.at_once);
}

void Exchange::start(std::size_t tag, RemoteOperation operation) {
  std::unique_lock lock(line_.mutex_);
  const bool is_new = operations_.emplace(tag, Own{std::move(operation)}).second;
  WEIR_ASSERT(is_new, "operation {} is under way already", tag);
  submit(lock, tag);
}

void Exchange::submit(std::unique_lock<std::mutex>& lock, std::size_t tag) {
  auto& own = operations_.at(tag);
  ++own.attempts;
  own.number = line_.next_operation_++;
  const auto now = line_.clock_.now();
  if (ending_ || stop_.stop_requested() || !line_.is_open(RemoteLine::direction_of(own.operation.action))) {
    if (own.attempts > 1) line_.patience_.ended(now);
    heard_.push_back({tag, own.number, true, cut_off()});
    return;
  }
  line_.running_.emplace(
      own.number, RemoteLine::Running{this, tag, own.operation.action, 0, false, own.operation.keeper});
  if (own.attempts == 1) line_.patience_.began(now);
  (void)line_.breaker_.allow();  // after a rest, whatever comes first is the probe
  const auto& operation = own.operation;
  const RemoteRequest request{operation.action, own.number,
                              operation.names,  operation.fd,
                              operation.length, operation.checksum ? &*operation.checksum : nullptr};
  lock.unlock();
  line_.connection_->submit(
      request);  // its names stay where they are: only this thread takes operations away
  lock.lock();
}

void Exchange::heard_end(std::size_t tag, std::uint64_t number, RemoteEnd end) {
  heard_.push_back({tag, number, true, std::move(end)});
  news_.notify_one();
}

void Exchange::heard_progress(std::size_t tag, std::uint64_t number) {
  heard_.push_back({tag, number, false, {}});
  news_.notify_one();
}

std::optional<Exchange::Event> Exchange::take_heard() {
  while (!heard_.empty()) {
    auto heard = std::move(heard_.front());
    heard_.pop_front();
    const auto own = operations_.find(heard.tag);
    if (own == operations_.end() || own->second.number != heard.number) continue;  // of an earlier attempt
    if (!heard.ended) {
      const auto running = line_.running_.find(heard.number);
      if (running == line_.running_.end()) continue;  // its end is in the row too
      running->second.progress_told = false;
      return Event{heard.tag, false, running->second.bytes, {}};
    }
    last_.reset();
    if (heard.end.outcome == RemoteOutcome::trouble) last_ = std::move(own->second);
    operations_.erase(own);
    return Event{heard.tag, true, 0, std::move(heard.end)};
  }
  return std::nullopt;
}

bool Exchange::submit_due(std::unique_lock<std::mutex>& lock) {
  const auto now = line_.clock_.now();
  for (auto& [tag, own] : operations_) {
    if (own.number != 0 || own.due > now) continue;
    submit(lock, tag);
    return true;
  }
  return false;
}

Time Exchange::wake_at(Time now) const {
  auto wake = now + kLook;
  for (const auto& [tag, own] : operations_)
    if (own.number == 0) wake = std::min(wake, own.due);
  return wake;
}

Exchange::Event Exchange::next() {
  std::unique_lock lock(line_.mutex_);
  WEIR_ASSERT(!operations_.empty(), "nothing is under way");
  for (;;) {
    if (auto event = take_heard()) return std::move(*event);
    if (submit_due(lock)) continue;
    if (!ending_ && (stop_.stop_requested() || !line_.check_patience())) {
      cancel_all(lock);
      continue;
    }
    const auto now = line_.clock_.now();
    if (ending_ && now >= farewell_) {
      leave_behind();
      continue;
    }
    const auto pause = wake_at(now) - now;
    (void)news_.wait_for(lock, stop_, pause, [this] { return !heard_.empty(); });
    // A stop that was asked for ends the wait at once, again and again: from then on only the row is waited
    // for.
    if (ending_ && stop_.stop_requested() && heard_.empty())
      (void)news_.wait_for(lock, pause, [this] { return !heard_.empty(); });
  }
}

bool Exchange::retry(const Event& event) {
  const std::lock_guard lock(line_.mutex_);
  if (!last_ || !event.ended || ending_) return false;
  const auto delay = line_.delay_after(last_->attempts, event.end);
  if (!delay) return false;
  line_.patience_.began(line_.clock_.now());  // to wait for its sake is to wait for it
  last_->number = 0;
  last_->due = line_.clock_.now() + *delay;
  operations_.emplace(event.tag, std::move(*last_));
  last_.reset();
  return true;
}

RemoteEnd Exchange::run(RemoteOperation operation, const std::function<bool()>& restart) {
  WEIR_ASSERT(operations_.empty(), "something else is under way");
  start(0, std::move(operation));
  for (;;) {
    auto event = next();
    if (!event.ended) continue;
    if (event.end.outcome != RemoteOutcome::trouble || (restart && !restart()) || !retry(event))
      return std::move(event.end);
  }
}

// Those that wait for their turn end at once; the plugin is told of the others.
void Exchange::cancel_all(std::unique_lock<std::mutex>& lock) {
  ending_ = true;
  const auto now = line_.clock_.now();
  farewell_ = now + kFarewell;
  std::vector<std::uint64_t> numbers;
  for (auto& [tag, own] : operations_) {
    if (own.number != 0) {
      numbers.push_back(own.number);
      continue;
    }
    own.number = line_.next_operation_++;
    line_.patience_.ended(now);
    heard_.push_back({tag, own.number, true, cut_off()});
  }
  lock.unlock();
  for (const auto number : numbers) line_.connection_->cancel(number);
  lock.lock();
}

// The plugin had its time. What still runs has nobody who waits for it.
void Exchange::leave_behind() {
  for (auto& [tag, own] : operations_) {
    if (const auto running = line_.running_.find(own.number); running != line_.running_.end())
      running->second.exchange = nullptr;
    own.number = line_.next_operation_++;
    heard_.push_back({tag, own.number, true, cut_off()});
  }
}

}  // namespace weir
