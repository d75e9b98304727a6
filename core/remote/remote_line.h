// One remote in one run: its connection, what is under way on it, and whether it is worth asking. Jobs use it
// through an Exchange of their own (exchange.h), each on its own thread; the plugin tells of ends on threads
// of its own.
//
// When a remote is left alone:
//   - its patience is used up (patience.h): for the rest of the run;
//   - it refuses, because of a token or a certificate: for the rest of the run; what is refused for writing
//     may still be read;
//   - it answers with errors, again and again: until the breaker's cooldown is over, or as long as it wants
//     (Retry-After).
// That is told once. All of it under one mutex; the connection is never called while that is held, since a
// plugin may tell of an end from within.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/backoff.h"
#include "core/base/circuit_breaker.h"
#include "core/base/random.h"
#include "core/model/remote.h"
#include "core/remote/patience.h"
#include "core/remote/remote_notes.h"
#include "core/store/digest.h"

namespace weir {

class Exchange;

class RemoteLine final : public RemoteListener {
 public:
  enum class Direction : std::uint8_t { read, write };
  enum class State : std::uint8_t { up, resting, off, read_only };
  struct News {
    std::string remote;  // as people may see it
    State state;
    std::string reason;
    bool first = false;  // of this remote in this run
  };
  struct Options {
    std::string shown;        // the URL without secrets
    std::size_t at_once = 1;  // operations under way
    unsigned retries = 3;     // of an operation, beyond the first attempt
    Backoff backoff{std::chrono::milliseconds(100), std::chrono::seconds(1)};
    Patience::Limits patience;
    CircuitBreaker::Limits breaker{4, std::chrono::seconds(30)};
    std::function<void(const News&)> tell;  // any thread, under the line's mutex: it must not call back
  };
  RemoteLine(const Clock& clock, Options options, std::unique_ptr<RemoteNotes> notes);
  ~RemoteLine() override;

  // Before anything else. The address may be refused: Reason::project.
  Status open(const RemoteKind& kind, const RemoteAddress& address);
  // Instead of open(): it cannot be used at all.
  void refuse(const Error& error);
  // Waits a moment for what is under way. False: the plugin did not let go of something, and the line has to
  // stay.
  bool close();

  const std::string& shown() const { return options_.shown; }
  RemoteNotes& notes() { return *notes_; }
  bool verifies_puts() const { return verifies_puts_; }
  // Whether a job may use it now; why not is told in `why_not`.
  bool usable(Direction direction);
  std::string why_not() const;
  // It refused an operation: another attempt in this run would end the same way.
  bool has_refused() const;
  // Something that it sent is not what it should be: told once.
  void complain(const std::string& what);

  void ended(std::uint64_t operation, RemoteEnd end) override;
  void moved(std::uint64_t operation, std::uint64_t bytes) override;

 private:
  friend class Exchange;
  struct Running {
    Exchange* exchange;  // nothing: nobody waits for it any more
    std::size_t tag;
    RemoteAction action;
    std::uint64_t bytes = 0;
    bool progress_told = false;
    std::shared_ptr<const void> keeper;  // of its file
  };

  static Direction direction_of(RemoteAction action) {
    return action == RemoteAction::put || action == RemoteAction::put_record ? Direction::write
                                                                             : Direction::read;
  }
  // All of these under the mutex.
  bool is_open(Direction direction) const;
  void judge(RemoteAction action, const RemoteEnd& end, Time now);
  void give_up(State state, std::string reason);
  void tell(State state, const std::string& reason);
  // How long to wait before the attempt after `attempts`; nothing: it is not worth it.
  std::optional<Duration> delay_after(unsigned attempts, const RemoteEnd& end);
  bool check_patience();

  const Clock& clock_;
  Options options_;
  std::unique_ptr<RemoteNotes> notes_;
  std::unique_ptr<RemoteConnection> connection_;
  bool verifies_puts_ = false;
  mutable std::mutex mutex_;
  std::condition_variable all_ended_;
  std::unordered_map<std::uint64_t, Running> running_;
  std::uint64_t next_operation_ = 1;
  Patience patience_;
  CircuitBreaker breaker_;
  Random random_;
  Time last_failure_{};
  Time rests_until_{};
  bool off_ = false;
  bool read_only_ = false;
  bool refused_ = false;
  bool complained_ = false;
  bool told_ = false;  // anything: it is a warning the first time only
  std::string reason_;
};

std::string_view to_string(RemoteLine::State state);

}  // namespace weir
