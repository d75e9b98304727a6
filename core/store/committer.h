// Group commit. A record becomes visible only after all it names is durable, and a ticket turns durable after
// the record is; many records share two syncfs (500 files and one syncfs cost 23 µs each, an fsync for each
// file 175).
//
// One thread takes all that was submitted while it was busy, and:
//   writes the records under temporary names; sync: their objects and their bytes are durable;
//   renames them: visible; sync: durable. The second sync is the first one of the next batch if there is one.
// As long as nobody waits for a ticket, a sync comes no sooner than kGather after the one before: on a fast
// disk every record of a thousand small jobs had one and a half syncs of its own. What a crash can take is
// that much more work. A crash before the rename leaves the old state, one after it the new: a renamed record
// has durable bytes and objects.
//
// submit from any thread; callbacks come from the committer's thread and must be short.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/result.h"
#include "core/store/digest.h"
#include "core/store/store_dir.h"
#include "core/store/store_lock.h"

namespace weir::store {

// The promise of one commit. A value; any thread; may outlive the Store.
class Ticket {
 public:
  struct State;
  explicit Ticket(std::shared_ptr<State> state) : state_(std::move(state)) {}

  bool done() const;    // durable or failed
  Status wait() const;  // blocks until done; not for the loop's thread
  // Calls back once, from the committer's thread, or at once if it is done already.
  void on_done(std::function<void(const Status&)> callback) const;

 private:
  std::shared_ptr<State> state_;
};

class Committer {
 public:
  // `synced` is told after each sync that it succeeded, before the next rename.
  Committer(StoreDir& dir, std::function<Status()> sync);
  ~Committer();  // what was submitted is committed first
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  // Holds `lock` until the record is visible: from then on gc sees it. `alias` is another name of it.
  Ticket submit(const Key& key, std::string bytes, StoreLock::Shared lock, const std::optional<Key>& alias);
  // Waits until all that was submitted before is done.
  void drain();
  // All that was submitted so far is wanted now.
  void hurry();

 private:
  struct Pending;
  using Batch = std::vector<Pending>;
  void run();
  void gather(std::unique_lock<std::mutex>& lock, bool any_visible);
  void write_temporaries(Batch& batch);
  void publish(Batch& batch);
  int publish_alias(const Key& alias, const Key& key);
  static void finish(Batch& batch, const Status& status);

  static constexpr auto kGather = std::chrono::milliseconds(50);

  StoreDir& dir_;
  std::function<Status()> sync_;
  std::chrono::steady_clock::time_point last_sync_{};  // the thread's
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Pending> queue_;
  std::size_t unfinished_ = 0;
  bool hurry_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace weir::store
