// How those who answer the queues reach the loop from elsewhere.
#pragma once

#include <functional>

#include "core/model/ids.h"

namespace weir {

struct LoopDoors {
  std::function<void(std::function<void()>)> post;  // to the loop; any thread
  std::function<void(ElementId)> news;              // the question is worth asking again
};

}  // namespace weir
