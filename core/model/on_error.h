// What a failure means for the rest of a run.
#pragma once

#include <cstdint>

namespace weir {

enum class OnError : std::uint8_t {
  quit,       // nothing new is made, running jobs end, what is built still goes on to push
  go_on,      // "continue": all that does not depend on the failed element
  terminate,  // running jobs are stopped
};

}  // namespace weir
