// What weir-transfer and the executor agree on. The last line that weir-transfer writes to its standard error
// is the reason, for people; the exit code is the class of the failure.
#pragma once

namespace weir {

enum class TransferExit : int {
  done = 0,
  usage = 2,     // the command line is wrong: a bug of whoever made it
  network = 20,  // may heal by itself: try again
  source = 21,   // what is there is not what was asked for: trying again does not help
  infra = 22,    // this machine: a full disk, a file that cannot be written
};

}  // namespace weir
