// Something that makes things happen on virtual time: a fake executor, a faulty network. The driver asks all
// sources when they are due next, moves the clock there and lets them fire.
#pragma once

#include <optional>

#include "core/base/clock.h"

namespace weir {

class VirtualSource {
 public:
  virtual ~VirtualSource() = default;
  virtual std::optional<Time> next() const = 0;
  // Does all that is due at `now`.
  virtual void fire(Time now) = 0;
};

}  // namespace weir
