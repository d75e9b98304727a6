// The verb `unpack`: an archive into a folder. The archive comes from outside, so it is taken for hostile:
// one entry that is not as it should be refuses it as a whole, with the name of the entry, and nothing of it
// stays. It is unpacked into a folder of its own inside the target and moved up when all is there.
//
// Refused: names with "..", absolute ones, ones that are no UTF-8; links that lead out; hardlinks to what did
// not come before; devices, pipes and sockets; what comes twice (but folders) or passes through a link; more
// than 256 levels, 4095 bytes of path, 2 million entries; bombs; archives that are damaged, cut off or
// encrypted.
//
// Files become 0644 or 0755 by their x bits, folders 0755. Owners, times, attributes and access lists are not
// restored. A name ends at its first NUL: libarchive gives no more of it.
#pragma once

#include <cstdint>

#include "core/exec/weir_transfer/place.h"

namespace weir::transfer {

struct UnpackOrder {
  Place from;
  Place to;
  std::uint32_t strip = 0;  // leading parts to drop; "./" is none
};

Done unpack(const UnpackOrder& order);

}  // namespace weir::transfer
