// The lock between gc and everybody else, shared by all processes that have the store open (flock, so the
// kernel gives it back when a process dies).
//
// The protocol: whoever reads or adds objects holds `lock` shared while one call of Store lasts; gc holds it
// exclusively while it decides and removes. What a call returned stays safe after it only by a pin (pin.h),
// which was written before the shared lock was given back. So gc, once it is alone, sees every root there is.
// `turnstile` keeps a stream of readers from starving gc: a reader passes through it first, and gc closes it
// while it waits. For that reason no thread may take the shared lock twice: only public calls of Store take
// it.
//
// Shared is a token and may die in another thread (a commit holds one until its record is visible). Any
// thread.
#pragma once

#include <mutex>
#include <utility>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir::store {

class StoreLock {
 public:
  explicit StoreLock(int root) : root_(root) {}
  Status open();

  class Shared {
   public:
    Shared() = default;
    explicit Shared(StoreLock* owner) : owner_(owner) {}
    Shared(Shared&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
    Shared& operator=(Shared&& other) noexcept {
      std::swap(owner_, other.owner_);
      return *this;
    }
    ~Shared() {
      if (owner_) owner_->unlock_shared();
    }

   private:
    StoreLock* owner_ = nullptr;
  };
  // Waits while a gc decides and removes, at most.
  Shared shared();
  // Nobody is in the way of shared(), at this moment.
  bool is_free();

  struct Exclusive {
    UniqueFd turnstile;
    UniqueFd lock;
  };
  // Waits for the calls that are under way in all processes.
  Result<Exclusive> exclusive() const;

 private:
  void unlock_shared();
  Result<UniqueFd> open_file(const char* name) const;

  int root_;
  UniqueFd turnstile_;
  UniqueFd lock_;
  std::mutex mutex_;
  std::size_t readers_ = 0;  // of this process; the first takes the flock, the last gives it back
};

}  // namespace weir::store
