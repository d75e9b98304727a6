#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>

#include "core/store/key_lock.h"

namespace weir::store {

namespace {

// When a process is killed, the kernel may tell of the close a moment before it frees the lock, and inotify
// may be used up on this machine; so while somebody waits, all is tried again after a time that doubles from
// the first to the last.
constexpr int kFirstRetryMs = 20;
constexpr int kLastRetryMs = 1000;

void drain(int fd) {
  char buffer[4096];
  while (::read(fd, buffer, sizeof buffer) > 0) {
  }
}

}  // namespace

LockWaiter::~LockWaiter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  if (!thread_.joinable()) return;
  wake();
  thread_.join();
}

// Called with the mutex held.
void LockWaiter::start() {
  if (thread_.joinable()) return;
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  inotify_ = UniqueFd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  // The watch is there before the first attempt, so a release after a failed attempt is never missed.
  const auto directory = "/proc/self/fd/" + std::to_string(root_) + "/locks";
  if (inotify_ && ::inotify_add_watch(inotify_.get(), directory.c_str(), IN_CLOSE_WRITE) < 0)
    inotify_.reset();
  thread_ = std::thread([this] { run(); });
}

LockWaiter::Wait LockWaiter::wait(const Key& key, Callback callback) {
  const std::lock_guard lock(mutex_);
  start();
  const auto id = next_id_++;
  waiting_.push_back({id, key, std::move(callback)});
  wake();
  return Wait(this, id);
}

void LockWaiter::wake() {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the thread is awake anyway.
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

void LockWaiter::forget(std::uint64_t id) {
  std::unique_lock lock(mutex_);
  waiting_.remove_if([id](const Waiting& waiting) { return waiting.id == id; });
  // A callback may drop its own wait.
  if (std::this_thread::get_id() == thread_.get_id()) return;
  changed_.wait(lock, [&] { return calling_ != id; });
}

// Tries the first wait after `after`; false when there is none.
bool LockWaiter::serve_next(std::uint64_t& after) {
  std::unique_lock lock(mutex_);
  const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const Waiting& waiting) { return waiting.id > after; });
  if (stop_ || next == waiting_.end()) return false;
  after = next->id;
  auto tried = files_.try_lock(next->key);
  if (tried && !*tried) return true;
  auto callback = std::move(next->callback);
  waiting_.erase(next);
  calling_ = after;
  lock.unlock();
  if (tried) callback(std::move(**tried));
  else callback(tl::unexpected(std::move(tried.error())));
  lock.lock();
  calling_ = 0;
  changed_.notify_all();
  return true;
}

bool LockWaiter::sleep(int timeout_ms) {
  pollfd fds[2] = {{wake_.get(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}};
  const int ready = ::poll(fds, 2, timeout_ms);  // a negative descriptor is skipped
  drain(wake_.get());
  if (inotify_) drain(inotify_.get());
  return ready > 0;
}

void LockWaiter::run() {
  int retry = kFirstRetryMs;
  for (;;) {
    for (std::uint64_t after = 0; serve_next(after);) {
    }
    bool idle = false;
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
      idle = waiting_.empty();
    }
    const bool event = sleep(idle ? -1 : retry);
    retry = event ? kFirstRetryMs : std::min(2 * retry, kLastRetryMs);
  }
}

}  // namespace weir::store
