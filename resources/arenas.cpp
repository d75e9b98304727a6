#include "resources/arenas.h"

#include <condition_variable>
#include <exception>
#include <mutex>

#include "core/base/assert.h"
#include "resources/arenas_tbb.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace weir {
namespace {

// TSan cannot look into TBB; it is told what TBB promises: what was done before enqueue is seen by the task.
#if defined(__SANITIZE_THREAD__)
void hand_over(void* call) { __tsan_release(call); }
void handed_over(void* call) { __tsan_acquire(call); }
#else
void hand_over(void*) {}
void handed_over(void*) {}
#endif

}  // namespace

struct Arenas::State {
  struct Call {
    State* state;
    ArenaKind kind;
    Task task;
  };

  State(unsigned cores, OnException handler) : on_exception(std::move(handler)), tbb(cores) {}

  static void run_call(void* given) {
    handed_over(given);
    auto* state = static_cast<Call*>(given)->state;
    {
      const std::unique_ptr<Call> call(static_cast<Call*>(given));
      state->run(call->kind, call->task);
    }  // what the task holds is gone before drain() returns
    state->done();
  }
  void report(ArenaKind kind, std::string_view what) {
    if (on_exception) return on_exception(kind, what);
    WEIR_ASSERT(false, "an exception left an arena task: {}", what);
  }
  void run(ArenaKind kind, const Task& task) {
    try {
      task();
    } catch (const std::exception& error) {
      report(kind, error.what());
    } catch (...) {
      report(kind, "of an unknown type");
    }
  }
  void done() {
    const std::lock_guard lock(mutex);
    if (--pending == 0) idle.notify_all();
  }

  const OnException on_exception;
  std::mutex mutex;
  std::condition_variable idle;
  std::size_t pending = 0;  // guarded by mutex
  TbbArenas tbb;
};

Arenas::Arenas(unsigned cores, OnException on_exception)
    : state_(std::make_unique<State>(cores ? cores : 1, std::move(on_exception))) {}

Arenas::~Arenas() { drain(); }

void Arenas::enqueue(ArenaKind kind, Task task) {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->pending;
  }
  auto* call = new State::Call{state_.get(), kind, std::move(task)};  // run_call deletes it
  hand_over(call);
  try {
    state_->tbb.enqueue(static_cast<unsigned>(kind), State::run_call, call);
  } catch (const std::exception& error) {
    // No thread for it: drain() would wait for ever.
    state_->report(kind, error.what());
  }
}

void Arenas::drain() {
  std::unique_lock lock(state_->mutex);
  state_->idle.wait(lock, [&] { return state_->pending == 0; });
}

}  // namespace weir
