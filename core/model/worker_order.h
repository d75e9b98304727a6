// What becomes of a worker while a run goes on. A person may order all of it but that it is lost.
#pragma once

#include <cstdint>

namespace weir {

enum class WorkerOrder : std::uint8_t {
  drain,       // what runs there ends, nothing new is started
  remove,      // its jobs are stopped and run elsewhere
  bring_back,  // it takes jobs again
  lose,        // it does not answer any more: its jobs are lost
};

}  // namespace weir
