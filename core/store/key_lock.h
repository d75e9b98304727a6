// One lock per key, shared by all weir processes on one store, so that each element is built once. A lock is
// a flocked file locks/<key>; it is removed when given back, and freed by the kernel when its process dies.
//
// Waiting does not block the caller: LockWaiter has one thread that sleeps until a lock file is closed or
// removed (inotify), tries all waiting keys again, and calls back from that thread. Callbacks must be short:
// post to the loop.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/store/digest.h"

namespace weir::store {

// The right to build one key. Move-only; any thread.
class KeyLock {
 public:
  KeyLock() = default;
  KeyLock(int root, std::string name, UniqueFd fd, UniqueFd mark)
      : root_(root), name_(std::move(name)), mark_(std::move(mark)), fd_(std::move(fd)) {}
  KeyLock(KeyLock&& other) noexcept = default;
  KeyLock& operator=(KeyLock&& other) noexcept {
    std::swap(root_, other.root_);
    std::swap(name_, other.name_);
    std::swap(mark_, other.mark_);
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~KeyLock();
  explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  int root_ = -1;  // of the Store, which outlives its locks
  std::string name_;
  UniqueFd mark_;  // open for writing: its close is what waiters watch for, and no failed attempt has one
  UniqueFd fd_;    // flocked
};

// Nothing if another holder, of this process or another, has it.
Result<std::optional<KeyLock>> try_lock(int root, const Key& key);

class LockWaiter {
 public:
  using Callback = std::function<void(Result<KeyLock>)>;

  explicit LockWaiter(int root) : root_(root) {}
  ~LockWaiter();  // forgets all waits; their callbacks are not called
  LockWaiter(const LockWaiter&) = delete;
  LockWaiter& operator=(const LockWaiter&) = delete;

  // A wait that is forgotten when it dies: after that the callback neither runs nor will. Move-only.
  class Wait {
   public:
    Wait() = default;
    Wait(LockWaiter* owner, std::uint64_t id) : owner_(owner), id_(id) {}
    Wait(Wait&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), id_(other.id_) {}
    Wait& operator=(Wait&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(id_, other.id_);
      return *this;
    }
    ~Wait() {
      if (owner_) owner_->forget(id_);
    }

   private:
    LockWaiter* owner_ = nullptr;
    std::uint64_t id_ = 0;
  };
  // Calls back once, from the waiter's thread, even if the lock is free now.
  Wait wait(const Key& key, Callback callback);

 private:
  struct Waiting {
    std::uint64_t id;
    Key key;
    Callback callback;
  };
  void start();
  void run();
  bool serve_next(std::uint64_t& after);
  bool sleep(int timeout_ms);  // false: the time is over
  void wake();
  void forget(std::uint64_t id);

  int root_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> waiting_;
  std::uint64_t next_id_ = 1;
  std::uint64_t calling_ = 0;  // the wait whose callback is running
  bool stop_ = false;
  UniqueFd inotify_;
  UniqueFd wake_;
  std::thread thread_;  // started with the first wait
};

}  // namespace weir::store
