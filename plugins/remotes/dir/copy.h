// Bytes from one file to another, in pieces.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace weir::dir {

// Asked after each piece, with what was copied so far; false: it is to end.
using GoOn = std::function<bool(std::uint64_t bytes)>;

enum class CopyEnd {
  whole,
  too_short,  // the source has fewer bytes
  mismatch,   // the bytes do not have the checksum
  stopped,
  failed,  // see errno
};

// Both from their start on.
CopyEnd copy_bytes(int from, int to, std::uint64_t size, const GoOn& go_on);
// Hashes the bytes that it writes, while they are in the processor's cache: that costs no more than a copy by
// the kernel, which would leave them to be read once more.
CopyEnd copy_verified(int from, int to, std::uint64_t size, const std::array<std::uint8_t, 16>& checksum,
                      const GoOn& go_on);

}  // namespace weir::dir
