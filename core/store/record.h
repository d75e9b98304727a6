// What is remembered of an artifact: its output tree, the recipe and log as blobs, and what the job took. The
// bytes are canonical and versioned, with a checksum at the end, so a record is whole or it is a miss. A
// record is found by its key, which is not part of the bytes; an alias is a record that only names another
// key (recipe key -> resolved key). Values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/store/digest.h"

namespace weir::store {

struct ArtifactRecord {
  Digest output;  // a Directory
  Digest recipe;
  Digest log;
  std::string label;  // "app": for people; not unique
  Duration wall{};    // running time of the job, without suspended time
  Duration cpu{};
  std::uint64_t peak_bytes = 0;
  std::uint32_t cores = 1;
  bool operator==(const ArtifactRecord&) const = default;
};

using RecordOrAlias = std::variant<ArtifactRecord, Key>;

std::string encode(const ArtifactRecord& record);
std::string encode_alias(const Key& target);
Result<RecordOrAlias> decode_record(std::string_view bytes);

}  // namespace weir::store
