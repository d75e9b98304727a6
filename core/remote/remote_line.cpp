#include "core/remote/remote_line.h"

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/remote/exchange.h"

namespace weir {

namespace {

// Of many operations that fail at once only one says something about the remote.
constexpr Duration kOneFailure = std::chrono::milliseconds(50);
// Each operation has a file open.
constexpr std::size_t kMostFiles = 256;
// How long a plugin has to end what was cancelled.
constexpr Duration kLineFarewell = std::chrono::seconds(1);

}  // namespace

std::string_view to_string(RemoteLine::State state) {
  switch (state) {
    case RemoteLine::State::up: return "up";
    case RemoteLine::State::resting: return "resting";
    case RemoteLine::State::off: return "off";
    case RemoteLine::State::read_only: return "read-only";
  }
  return "off";
}

RemoteLine::RemoteLine(const Clock& clock, Options options, std::unique_ptr<RemoteNotes> notes)
    : clock_(clock),
      options_(std::move(options)),
      notes_(std::move(notes)),
      patience_(options_.patience),
      breaker_(clock, options_.breaker),
      random_(store::digest_of(options_.shown).hash[0]) {}

RemoteLine::~RemoteLine() = default;

Status RemoteLine::open(const RemoteKind& kind, const RemoteAddress& address) {
  options_.at_once = std::min(kind.at_once(), kMostFiles);
  auto opened = kind.open(address, *this);
  if (!opened) {
    refuse(opened.error());
    return tl::unexpected(opened.error());
  }
  connection_ = std::move(*opened);
  verifies_puts_ = kind.verifies_puts();
  return {};
}

void RemoteLine::refuse(const Error& error) {
  const std::lock_guard lock(mutex_);
  give_up(State::off, to_text(error));
}

bool RemoteLine::close() {
  // First: what was learned is of use whatever the plugin does.
  if (const auto saved = notes_->save(); !saved) log_warn("{}", saved.error().message);
  {
    std::unique_lock lock(mutex_);
    off_ = true;
    if (!all_ended_.wait_for(lock, kLineFarewell, [this] { return running_.empty(); })) {
      log_warn("{}: {} operations were cancelled and never ended", options_.shown, running_.size());
      return false;
    }
  }
  connection_.reset();
  return true;
}

bool RemoteLine::is_open(Direction direction) const {
  if (off_ || !connection_ || clock_.now() < rests_until_) return false;
  return direction == Direction::read || !read_only_;
}

bool RemoteLine::usable(Direction direction) {
  const std::lock_guard lock(mutex_);
  return is_open(direction);
}

std::string RemoteLine::why_not() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

bool RemoteLine::has_refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

void RemoteLine::complain(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(complained_, true)) return;
  tell(State::up, what);
}

void RemoteLine::tell(State state, const std::string& reason) {
  const bool first = !std::exchange(told_, true);
  if (options_.tell) options_.tell({options_.shown, state, reason, first});
}

void RemoteLine::give_up(State state, std::string reason) {
  if (state == State::off) off_ = true;
  if (state == State::read_only) read_only_ = true;
  reason_ = std::move(reason);
  tell(state, reason_);
}

bool RemoteLine::check_patience() {
  if (off_) return false;
  if (!patience_.is_over(clock_.now())) return true;
  give_up(State::off, "it does not answer in time");
  return false;
}

// What an end says of the remote itself.
void RemoteLine::judge(RemoteAction action, const RemoteEnd& end, Time now) {
  switch (end.outcome) {
    case RemoteOutcome::cancelled:
    case RemoteOutcome::mismatch: return;
    case RemoteOutcome::done:
    case RemoteOutcome::missing: return breaker_.success();
    case RemoteOutcome::refused:
      refused_ = true;
      if (off_ || (direction_of(action) == Direction::write && read_only_)) return;
      return give_up(direction_of(action) == Direction::write ? State::read_only : State::off, end.message);
    case RemoteOutcome::trouble: break;
  }
  if (now - last_failure_ < kOneFailure) return;
  last_failure_ = now;
  const bool was_open = breaker_.state() == CircuitBreaker::State::open;
  breaker_.failure();
  if (!was_open && breaker_.state() == CircuitBreaker::State::open && !off_) {
    rests_until_ = breaker_.retry_at();
    give_up(State::resting, end.message);
  }
}

std::optional<Duration> RemoteLine::delay_after(unsigned attempts, const RemoteEnd& end) {
  const auto now = clock_.now();
  if (end.outcome != RemoteOutcome::trouble || attempts > options_.retries || off_ || now < rests_until_)
    return std::nullopt;
  const auto delay = std::max(options_.backoff.before(attempts - 1, random_), end.retry_after);
  if (delay < patience_.left(now)) return delay;
  // It wants to be left alone for longer than the run is ready to wait.
  rests_until_ = now + delay;
  give_up(State::resting, end.message);
  return std::nullopt;
}

void RemoteLine::ended(std::uint64_t operation, RemoteEnd end) {
  const std::lock_guard lock(mutex_);
  const auto at = running_.find(operation);
  if (at == running_.end()) return;
  const auto now = clock_.now();
  patience_.ended(now);
  auto running = std::move(at->second);
  running_.erase(at);
  if (running_.empty()) all_ended_.notify_all();
  judge(running.action, end, now);
  if (running.exchange) running.exchange->heard_end(running.tag, operation, std::move(end));
}

void RemoteLine::moved(std::uint64_t operation, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = running_.find(operation);
  if (at == running_.end()) return;
  auto& running = at->second;
  if (bytes <= running.bytes) return;
  const bool counts_names = running.action == RemoteAction::has || running.action == RemoteAction::has_record;
  if (counts_names) patience_.sign(clock_.now());
  else patience_.moved(clock_.now(), bytes - running.bytes);
  running.bytes = bytes;
  if (running.action != RemoteAction::get || std::exchange(running.progress_told, true) || !running.exchange)
    return;
  running.exchange->heard_progress(running.tag, operation);
}

}  // namespace weir
