// What is remembered of an artifact: its output tree, its recipe and log, and what the job took. The bytes
// are canonical and versioned, with a checksum at the end, so a record is whole or it is a miss.
//
// A record is found by its key. An alias leads to another key (recipe key -> resolved key): a file that only
// names it, or the record itself under another name. Both say under which names they may be found: a file
// that lies under another key is damaged. The recipe may be a blob of the store or part of the record's
// bytes; for a small job a file more is dear. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
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
  bool recipe_inside = false;  // in the record's own file, and not an object
  bool operator==(const ArtifactRecord&) const = default;
};

// What the recipe takes in the record's own file.
inline std::uint64_t recipe_bytes(const ArtifactRecord& record) {
  return record.recipe_inside ? record.recipe.size : 0;
}

using RecordOrAlias = std::variant<ArtifactRecord, Key>;

// `recipe` is what record.recipe is the digest of; empty: it is an object.
std::string encode(const ArtifactRecord& record, const Key& key, std::string_view recipe = {},
                   const std::optional<Key>& alias = {});
std::string encode_alias(const Key& name, const Key& target);
// What was found under `name`. Files of an earlier version lead nowhere: keys have changed since, so nobody
// asks for them.
Result<RecordOrAlias> decode_record(std::string_view bytes, const Key& name);
// The recipe in the bytes of a record; nothing: it is not there.
std::optional<std::string> recipe_in(std::string_view bytes);

}  // namespace weir::store
