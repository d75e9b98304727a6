// Which run `weir ctl` talks to.
#pragma once

#include <cstdint>
#include <span>

#include "core/cli/run_folder.h"
#include "core/control/control_client.h"

namespace weir::cli {

struct LiveRun {
  std::uint64_t number = 0;
  ControlClient client;
};

// Of `runs`, newest first: the one with that number, or for 0 the newest that listens.
Result<LiveRun> find_live_run(std::span<const PastRun> runs, std::uint64_t number);

}  // namespace weir::cli
