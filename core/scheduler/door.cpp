#include "core/scheduler/door.h"

#include <utility>

namespace weir {

void Door::on_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Door::post(LoopInput input) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    if (inputs_.empty()) wake = wake_;
    inputs_.push_back(std::move(input));
  }
  if (wake) wake();
}

void Door::take(std::vector<LoopInput>& into) {
  into.clear();
  const std::lock_guard lock(mutex_);
  into.swap(inputs_);
}

bool Door::empty() const {
  const std::lock_guard lock(mutex_);
  return inputs_.empty();
}

}  // namespace weir
