// Cores that are somebody else's: an outer make lends them one by one, and there is always one that nobody
// else uses. Thread: the loop's.
#pragma once

#include <cstdint>

namespace weir {

class CoreLender {
 public:
  virtual ~CoreLender() = default;
  // How many the run may use now.
  virtual std::int64_t cores() const = 0;
  // How many it could use. What it has beyond that is given back at once. What it lacks is got as it comes,
  // without waiting: then cores() says more, and somebody has to wake the scheduler.
  virtual void want(std::int64_t cores) = 0;
};

}  // namespace weir
