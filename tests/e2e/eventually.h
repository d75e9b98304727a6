#pragma once

#include <poll.h>

#include <chrono>

namespace weir::test {

// A deadline, not a sleep: the condition is what is waited for, and a test that passes is as fast as the
// condition. `every`: of a condition that costs a process to look at.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds every = std::chrono::milliseconds(1)) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, static_cast<int>(every.count()));
  }
  return true;
}

}  // namespace weir::test
