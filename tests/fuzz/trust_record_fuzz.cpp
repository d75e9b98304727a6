// What the user allowed a project: a record that is read, written and read again allows the same.
#include "core/build/trust_record.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

WEIR_FUZZ_TARGET(trust_record) {
  const auto record = parse_trust_record(input);
  if (!record) return;
  WEIR_ASSERT(parse_trust_record(to_text(*record)) == record, "a record changed by writing it");
}

}  // namespace weir
