#include "resources/arenas_tbb.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <mutex>

namespace weir {

struct TbbArenas::State {
  explicit State(unsigned threads)
      : cores(static_cast<int>(threads)),
        // By default TBB has one worker on two cores and the caller counts as the other; our caller never
        // works.
        parallelism(tbb::global_control::max_allowed_parallelism, threads + 1) {}
  const int cores;
  tbb::global_control parallelism;
  std::once_flag once[2];
  std::unique_ptr<tbb::task_arena> arenas[2];
};

TbbArenas::TbbArenas(unsigned cores) : state_(std::make_unique<State>(cores)) {}
TbbArenas::~TbbArenas() = default;

void TbbArenas::enqueue(unsigned kind, void (*run)(void*), void* state) {
  auto& arena = state_->arenas[kind];
  // 0: no slot is kept for a thread that enters; all work comes by enqueue.
  std::call_once(state_->once[kind], [&] { arena = std::make_unique<tbb::task_arena>(state_->cores, 0); });
  arena->enqueue([run, state] { run(state); });
}

}  // namespace weir
