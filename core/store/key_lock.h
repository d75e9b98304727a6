// One lock per key, shared by all weir processes on one store, so that each element is built once. A lock is
// one byte of a file locks/<bucket>, locked for the open file (F_OFD_SETLK): it is freed by the kernel when
// its process dies.
//
// Bytes of a few files and not a file per key: a run holds a lock for every element that is ready, ten
// thousand of them took twenty thousand descriptors, and making and removing a file for each cost 17 us to 1
// ms (an ext4 without a journal looks at every inode that was removed lately before it takes one). Several
// files and not one: the kernel walks a list of all locks of a file for each. Keys that share a byte (2^-62)
// wait for each other, no more.
//
// Waiting does not block the caller: LockWaiter has one thread that sleeps until a file in locks/ that was
// open for writing is closed (inotify), tries all waiting keys again, and calls back from that thread.
// Whoever gives back closes such a file, once for many (KeyLockBatch); for one that dies the kernel does.
// Callbacks must be short: post to the loop.
#pragma once

#include <sys/types.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/store/digest.h"

namespace weir::store {

class KeyLockFiles;

// The right to build one key. Move-only; any thread.
class KeyLock {
 public:
  KeyLock() = default;
  KeyLock(KeyLockFiles* files, const Key& key) : files_(files), key_(key) {}
  KeyLock(KeyLock&& other) noexcept : files_(std::exchange(other.files_, nullptr)), key_(other.key_) {}
  KeyLock& operator=(KeyLock&& other) noexcept {
    std::swap(files_, other.files_);
    std::swap(key_, other.key_);
    return *this;
  }
  ~KeyLock();
  explicit operator bool() const { return files_ != nullptr; }

 private:
  KeyLockFiles* files_ = nullptr;  // of the Store, which outlives its locks
  Key key_;
};

// The files with the bytes. One per Store; any thread.
class KeyLockFiles {
 public:
  static constexpr std::size_t kBuckets = 64;
  struct Place {
    std::size_t bucket;
    off_t byte;
  };
  static Place place_of(const Key& key);
  static std::string name_of(std::size_t bucket);  // relative to the root of the store

  explicit KeyLockFiles(int root) : root_(root) {}
  // Nothing if another holder, of this process or another, has it.
  Result<std::optional<KeyLock>> try_lock(const Key& key);

 private:
  friend class KeyLock;
  friend class KeyLockBatch;
  // What this process holds is known here: the kernel keeps open files apart, and all its locks are of one.
  struct Bucket {
    UniqueFd file;
    std::unordered_set<off_t> held;
  };
  void give_back(const Key& key);
  void ring();

  int root_;
  std::mutex mutex_;
  std::array<Bucket, kBuckets> buckets_;
};

// While it lives, what this thread gives back is told to waiters together, when it dies.
class KeyLockBatch {
 public:
  KeyLockBatch();
  ~KeyLockBatch();
  KeyLockBatch(const KeyLockBatch&) = delete;
  KeyLockBatch& operator=(const KeyLockBatch&) = delete;

 private:
  friend class KeyLockFiles;
  static thread_local KeyLockBatch* current;
  std::vector<KeyLockFiles*> given_back_;
  KeyLockBatch* around_;
};

class LockWaiter {
 public:
  using Callback = std::function<void(Result<KeyLock>)>;

  LockWaiter(int root, KeyLockFiles& files) : root_(root), files_(files) {}
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
  KeyLockFiles& files_;
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
