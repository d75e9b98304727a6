// The bytes of a job are part of keys: only canonical ones are accepted.
#include "core/model/job_spec.h"

#include "tests/fuzz/fuzz_target.h"

namespace weir {

WEIR_FUZZ_TARGET(job_spec) {
  const auto spec = decode_job_spec(input);
  if (!spec) return;
  WEIR_ASSERT(encode(*spec) == input, "a job that is not canonical was accepted");
}

}  // namespace weir
