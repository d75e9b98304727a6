// Things that last for a while, side by side: each on the first track that is free, so that no two on a track
// overlap and there are no more tracks than ever were busy at once.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/clock.h"

namespace weir {

// Begin and end, in order of begin. The track of each, from 0; one may begin when the one before it ends.
std::vector<std::size_t> pack_tracks(const std::vector<std::pair<Duration, Duration>>& spans);

}  // namespace weir
