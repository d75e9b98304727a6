// The one door into the loop's thread. Anyone may post, from any thread; the loop takes all that is there at
// once.
//
// Asleep or awake, nothing between: the first input after a take() wakes the loop exactly once, later ones
// find it woken. A post while the loop is awake is not lost, since take() re-arms the wake-up under the same
// mutex.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "core/scheduler/input.h"

namespace weir {

class Door {
 public:
  // Called from the posting thread, without the door's mutex; must only make the loop call take() soon.
  void on_wake(std::function<void()> wake);
  void post(LoopInput input);
  // Replaces the content of `into`, whose capacity is reused.
  void take(std::vector<LoopInput>& into);
  bool empty() const;

 private:
  mutable std::mutex mutex_;
  std::vector<LoopInput> inputs_;
  std::function<void()> wake_;
};

}  // namespace weir
