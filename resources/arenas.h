// Where in-process work runs: two TBB task arenas, made when first used. Few on purpose: five busy arenas
// start a task after 147 us (p90), one after 1.1 us.
//
//   compute  hash, pack, collect; as many threads as cores
//   store    staging, copies, commits
//
// Nothing blocks in an arena: waiting for children and for the network is the loop's. A lone enqueue costs
// about 114 us of spinning elsewhere, so work under 200 us is better done inline. enqueue() from any thread;
// the destructor waits for all that was enqueued. An exception that leaves a task is a bug and is handed to
// `on_exception`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace weir {

enum class ArenaKind : std::uint8_t { compute, store };

class Arenas {
 public:
  using Task = std::function<void()>;
  // Called on the thread of the task, or of enqueue() if there is no thread for the task; the exception is
  // the current one. It has to end weir. The default does so as a failed assertion.
  using OnException = std::function<void(ArenaKind, std::string_view what)>;

  explicit Arenas(unsigned cores, OnException on_exception = {});
  ~Arenas();
  Arenas(const Arenas&) = delete;
  Arenas& operator=(const Arenas&) = delete;

  void enqueue(ArenaKind kind, Task task);
  // Waits until nothing that was enqueued before is left. Not from inside a task.
  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir
