// System calls that are worth a second try: NFS answers ESTALE when another machine replaced what a name
// stood for, and the name is looked up anew the next time.
#pragma once

#include <errno.h>

namespace weir::dir {

template <class Call>
auto persistent(const Call& call) {
  for (bool stale = false;;) {
    const auto result = call();
    if (result >= 0 || (errno != EINTR && (errno != ESTALE || stale))) return result;
    stale |= errno == ESTALE;
  }
}

}  // namespace weir::dir
