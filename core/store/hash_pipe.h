// The digest of a file of any size, which may be copied on the way.
//
// SHA-256 of one stream is sequential, so one core hashes; all else (reading, and writing the copy) is done
// by a second thread meanwhile, through a few buffers that stay in the cache. So a large file can cost what
// its hashing costs (bench/store_bench). The digest is of the bytes that were written, also if somebody
// changes the file meanwhile.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/store/checksums.h"
#include "core/store/digest.h"

namespace weir::store {

struct Hashed {
  Digest digest;
  std::optional<Checksum> checksum = {};  // of a file that was expected to be large
};

// Reads `from` to its end, from its beginning. `to` is a new file, or -1. Errors: fail_file with what was
// done.
Result<Hashed> hash_file(int from, int to, std::uint64_t expected_size);
// The same with the checksum alone.
Result<Checksum> checksum_file(int from, int to);

}  // namespace weir::store
