// Who waits for whom. Each element waits for at most one other one at a time for each kind of reason, so the
// lists are woven through one array and need no memory of their own; a waiting element looks again when the
// one it watches has news, and then watches the next one it lacks. No reverse edges of the graph are needed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/assert.h"
#include "core/model/ids.h"

namespace weir {

class Watches {
 public:
  enum class Reason : std::uint8_t {
    classify,   // to be classified again
    available,  // its artifact is there, those of its runtime dependencies are not
    keyed,      // it is tracked, its dependencies are not
  };
  static constexpr std::uint32_t kReasons = 3;

  struct Watcher {
    ElementId element;
    Reason reason;
  };

  explicit Watches(std::size_t elements) : first_(elements, kEnd), next_(elements * kReasons, kEnd) {}

  void watch(ElementId watched, Watcher watcher) {
    const auto node = index(watcher.element) * kReasons + static_cast<std::uint32_t>(watcher.reason);
    next_[node] = first_[index(watched)];
    first_[index(watched)] = node;
  }
  // Empties the list of `watched` into `into`, in the order in which they came.
  void take(ElementId watched, std::vector<Watcher>& into) {
    into.clear();
    for (auto node = first_[index(watched)]; node != kEnd; node = next_[node])
      into.push_back({ElementId{node / kReasons}, static_cast<Reason>(node % kReasons)});
    first_[index(watched)] = kEnd;
    for (std::size_t i = 0, j = into.size(); i + 1 < j; ++i, --j) std::swap(into[i], into[j - 1]);
  }

 private:
  static constexpr std::uint32_t kEnd = 0xffffffff;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> next_;
};

}  // namespace weir
