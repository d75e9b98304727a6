// The Unix socket of a run: `control` in its folder. An address holds 107 bytes and folders are longer, so
// both sides open the folder and go through /proc/self/fd.
#pragma once

#include <string>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir::control {

// For its owner alone, and not blocking. Takes the place of what a weir that was killed left there: who
// listens has the folder to itself.
Result<UniqueFd> listen_in(const std::string& folder);
void remove_from(const std::string& folder);

// Not blocking. Reason::not_found if nobody listens there.
Result<UniqueFd> connect_in(const std::string& folder);

// Whether the other side of a connection is us, or root. The mode of the file keeps others out already,
// unless somebody changed it.
bool is_trusted(int connection);

}  // namespace weir::control
