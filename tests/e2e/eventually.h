#pragma once

#include <poll.h>

#include <chrono>

namespace weir::test {

// A deadline, not a sleep: the condition is what is waited for, and a test that passes is as fast as the condition.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, 1);
  }
  return true;
}

}  // namespace weir::test
