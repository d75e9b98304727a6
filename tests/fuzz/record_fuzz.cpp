// An artifact record or an alias, under any name. Its checksum is right for most inputs: whoever can write
// the store can compute it. The first byte says whether, the next 32 are the name.
#include "core/store/record.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir::store {

WEIR_FUZZ_TARGET(record) {
  fuzz::Choices choices(input);
  const bool sealed = choices.byte() % 8 != 0;
  Key name;
  const auto hash = choices.bytes(sizeof(Sha256));
  if (hash.size() == sizeof(Sha256)) std::memcpy(name.hash.data(), hash.data(), hash.size());
  std::string bytes(choices.rest());
  if (sealed) bytes.append(bytes_of(digest_of(bytes).hash));

  const auto found = decode_record(bytes, name);
  const auto recipe = recipe_in(bytes);
  if (!found) return;
  if (const auto* target = std::get_if<Key>(&*found)) {
    if (*target == Key{}) return;  // of an earlier version
    const auto again = decode_record(encode_alias(name, *target), name);
    WEIR_ASSERT(again && *again == *found, "an alias changed by writing it");
    return;
  }
  const auto& record = std::get<ArtifactRecord>(*found);
  WEIR_ASSERT(record.recipe_inside == recipe.has_value(), "a recipe that is not there");
  const auto again = decode_record(encode(record, name, recipe.value_or("")), name);
  WEIR_ASSERT(again && *again == *found, "a record changed by writing it");
}

}  // namespace weir::store
