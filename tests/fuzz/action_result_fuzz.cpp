// An ActionResult of a remote, with the facts of the artifact as JSON.
#include "core/remote/action_result.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

WEIR_FUZZ_TARGET(action_result) {
  if (!input.empty() && input.front() == '{') {
    store::ArtifactRecord record;
    apply_facts(input, record);
    WEIR_ASSERT(record.wall.count() >= 0 && record.cpu.count() >= 0, "a negative time");
    store::ArtifactRecord again;
    apply_facts(facts_of(record), again);
    WEIR_ASSERT(again == record, "facts changed by writing them");
  }
  const auto artifact = decode_action_result(input);
  if (!artifact) return;
  const auto again = decode_action_result(encode_action_result(*artifact));
  WEIR_ASSERT(again && again->tree == artifact->tree && again->recipe == artifact->recipe &&
                  again->log == artifact->log && again->facts == artifact->facts,
              "a result changed by writing it");
  store::ArtifactRecord record;
  apply_facts(artifact->facts, record);
}

}  // namespace weir
