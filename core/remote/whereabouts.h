// Which remotes have which artifacts. For commands that only look.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/remote/remote_line.h"

namespace weir {

struct Whereabouts {
  std::string remote;       // its URL, without secrets
  std::vector<bool> there;  // for each key; empty: it could not be asked
  std::string reason;       // why not
  Duration took{};          // until it answered
};

// Asks all of them at once. Blocks, for no longer than the remotes' patience.
std::vector<Whereabouts> find_records(std::span<RemoteLine* const> lines, const std::vector<RemoteName>& keys,
                                      const Clock& clock);

}  // namespace weir
