#include "resources/arenas.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "core/base/assert.h"

namespace weir {

struct Arenas::State {
  State(unsigned threads, OnException handler)
      : cores(static_cast<int>(threads)),
        on_exception(std::move(handler)),
        // By default TBB has one worker on two cores and the caller counts as the other; our caller never works.
        parallelism(tbb::global_control::max_allowed_parallelism, threads + 1) {}

  tbb::task_arena& arena(ArenaKind kind) {
    const auto at = static_cast<std::size_t>(kind);
    // 0: no slot is kept for a thread that enters; all work comes by enqueue.
    std::call_once(once[at], [&] { arenas[at] = std::make_unique<tbb::task_arena>(cores, 0); });
    return *arenas[at];
  }
  void report(ArenaKind kind, std::string_view what) {
    if (on_exception) return on_exception(kind, what);
    WEIR_ASSERT(false, "an exception left an arena task: {}", what);
  }
  void run(ArenaKind kind, Task& task) {
    try {
      task();
    } catch (const std::exception& error) {
      report(kind, error.what());
    } catch (...) {
      report(kind, "of an unknown type");
    }
    task = nullptr;  // what it holds is gone before drain() returns
    const std::lock_guard lock(mutex);
    if (--pending == 0) idle.notify_all();
  }

  const int cores;
  const OnException on_exception;
  tbb::global_control parallelism;
  std::array<std::once_flag, 2> once;
  std::array<std::unique_ptr<tbb::task_arena>, 2> arenas;
  std::mutex mutex;
  std::condition_variable idle;
  std::size_t pending = 0;  // guarded by mutex
};

Arenas::Arenas(unsigned cores, OnException on_exception)
    : state_(std::make_unique<State>(cores ? cores : 1, std::move(on_exception))) {}

Arenas::~Arenas() { drain(); }

void Arenas::enqueue(ArenaKind kind, Task task) {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->pending;
  }
  // TBB copies nothing but calls a const function object.
  struct Call {
    State* state;
    ArenaKind kind;
    mutable Task task;
    void operator()() const { state->run(kind, task); }
  };
  state_->arena(kind).enqueue(Call{state_.get(), kind, std::move(task)});
}

void Arenas::drain() {
  std::unique_lock lock(state_->mutex);
  state_->idle.wait(lock, [&] { return state_->pending == 0; });
}

}  // namespace weir
