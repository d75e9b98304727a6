// The part of the arenas that touches TBB, built without TSan: TBB is built that way too, so TSan would see
// the memory of its tasks change hands without order. arenas.cpp tells TSan the order that TBB promises; here
// nothing passes but a function and a pointer.
#pragma once

#include <memory>

namespace weir {

class TbbArenas {
 public:
  explicit TbbArenas(unsigned cores);
  ~TbbArenas();
  // Calls run(state) on a thread of arena `kind` (0 or 1), which is made when first used. Any thread.
  void enqueue(unsigned kind, void (*run)(void*), void* state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir
