// A copy that is there as a whole or not at all: written under another name, synced, renamed.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string_view>

#include "core/exec/weir_transfer/place.h"
#include "core/exec/weir_transfer/sha256.h"

namespace weir::transfer {

inline constexpr mode_t mode_of(bool executable) { return executable ? 0755 : 0644; }

// Feeds all of an open file, from its beginning, to `take`, which may end it with an error.
Done read_all(int file, std::string_view shown, const std::function<Done(std::string_view)>& take);

// False: the bytes are not those of `sha256` (empty: any are), and nothing was made.
Expected<bool> copy_file(int from, const Spot& target, bool executable, const std::string& sha256);

}  // namespace weir::transfer
