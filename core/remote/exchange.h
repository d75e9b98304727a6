// What one job has under way on a line: it starts operations and waits for news of any of them. Trouble is
// the job's to decide on: retry() tries an operation again after a back-off, as long as that makes sense.
//
// All calls on the job's thread. An operation that the plugin does not end although it was cancelled is left
// behind; its file stays open for as long as the plugin may use it.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "core/remote/remote_line.h"

namespace weir {

struct RemoteOperation {
  RemoteAction action = RemoteAction::has;
  std::vector<RemoteName> names;
  int fd = -1;
  std::uint64_t length = 0;
  std::shared_ptr<const void> keeper = {};  // keeps the file open
  std::optional<RemoteChecksum> checksum = {};
};

class Exchange {
 public:
  Exchange(RemoteLine& line, std::stop_token stop);
  ~Exchange();  // cancels what is under way
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  struct Event {
    std::size_t tag = 0;
    bool ended = false;       // else: more bytes are in the file
    std::uint64_t bytes = 0;  // so many
    RemoteEnd end = {};
  };

  RemoteLine& line() { return line_; }
  std::size_t under_way() const { return operations_.size(); }
  // Whether another is of use to the remote, on which others work as well; always if nothing is under way.
  bool has_room() const;
  // `tag` is the caller's name for it, used by no other that is under way.
  void start(std::size_t tag, RemoteOperation operation);
  // Waits for news of any operation that is under way. Once the line is given up, or a stop is requested, all
  // of them end.
  Event next();
  // After an end with trouble, before the next call of next(): true, and it is under way again; its file has
  // to be as at first.
  bool retry(const Event& event);
  // Starts one and waits for its end, with retries; nothing else may be under way.
  RemoteEnd run(RemoteOperation operation, const std::function<bool()>& restart = {});

 private:
  friend class RemoteLine;
  struct Own {
    RemoteOperation operation;
    unsigned attempts = 0;
    std::uint64_t number = 0;  // of the line; 0: it waits for its back-off
    Time due{};
  };
  struct Heard {
    std::size_t tag;
    std::uint64_t number;
    bool ended;
    RemoteEnd end;
  };
  // By the line, under its mutex.
  void heard_end(std::size_t tag, std::uint64_t number, RemoteEnd end);
  void heard_progress(std::size_t tag, std::uint64_t number);

  void submit(std::unique_lock<std::mutex>& lock, std::size_t tag);
  bool submit_due(std::unique_lock<std::mutex>& lock);
  std::optional<Event> take_heard();
  void cancel_all(std::unique_lock<std::mutex>& lock);
  void leave_behind();
  Time wake_at(Time now) const;

  RemoteLine& line_;
  std::stop_token stop_;
  std::condition_variable_any news_;
  std::unordered_map<std::size_t, Own> operations_;  // by tag
  std::deque<Heard> heard_;
  std::optional<Own> last_;  // of the event that next() gave last, if it ended with trouble
  bool ending_ = false;
  Time farewell_{};
};

}  // namespace weir
