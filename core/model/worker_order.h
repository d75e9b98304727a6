// What a person may tell a worker while a run goes on.
#pragma once

#include <cstdint>

namespace weir {

enum class WorkerOrder : std::uint8_t {
  drain,       // what runs there ends, nothing new is started
  remove,      // it is gone, and its jobs are lost
  bring_back,  // it takes jobs again
};

}  // namespace weir
