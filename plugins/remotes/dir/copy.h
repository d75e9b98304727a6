// Bytes from one file to another, in pieces.
#pragma once

#include <cstdint>
#include <functional>

namespace weir::dir {

// Asked after each piece, with what was copied so far; false: it is to end.
using GoOn = std::function<bool(std::uint64_t bytes)>;

enum class CopyEnd {
  whole,
  too_short,  // the source has fewer bytes
  stopped,
  failed,  // see errno
};

// Both from their start on.
CopyEnd copy_bytes(int from, int to, std::uint64_t size, const GoOn& go_on);

}  // namespace weir::dir
