// How many jobs of which nobody knows what memory they need may run at once. As many as like, until one was
// killed for want of memory: then half as many as there were, and after each row of good ends one more.
// Adding one and halving finds out what the machine bears, where a fixed number would either serialise a
// first run or let big jobs meet again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace weir {

class OomCaution {
 public:
  bool allows(std::size_t running) const { return running < most_; }
  // One was killed; it is one of `running`.
  void killed(std::size_t running) {
    most_ = std::max<std::size_t>(1, std::min(most_, running) / 2);
    good_ = 0;
  }
  void ended_well() {
    if (most_ == kAll || ++good_ < kRow * most_) return;
    ++most_;
    good_ = 0;
  }

 private:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kRow =
      8;  // good ends per place: a kill costs more than eight jobs that wait a little
  std::size_t most_ = kAll;
  std::size_t good_ = 0;
};

}  // namespace weir
