// Inputs of `weir sim`. The first byte says of which part; what would run long is only read.
#include "core/base/json_value.h"
#include "core/placement/json_input.h"
#include "core/placement/open_documents.h"
#include "core/sim/allocate.h"
#include "core/sim/lane.h"
#include "core/sim/place.h"
#include "core/sim/run.h"
#include "core/sim/run_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir::sim {

namespace {

bool is_small(const RunInput& input) {
  return input.places() <= 64 && std::uint64_t{input.builds} * input.jobs_each <= 64 && input.fan_in <= 8 &&
         input.worker_mtbf_s == 0;
}

void check_output(const Result<std::string>& out) {
  if (out) WEIR_ASSERT(parse_json(*out).has_value(), "no JSON: {}", *out);
  else WEIR_ASSERT(!out.error().message.empty(), "an error without words");
}

}  // namespace

WEIR_FUZZ_TARGET(sim) {
  fuzz::Choices choices(input);
  const auto which = choices.byte() % 6;
  const auto document = choices.rest();
  if (which == 0) check_output(simulate_allocate(document));
  if (which == 1) check_output(simulate_place(document));
  if (which == 2) check_output(simulate_lane(document));
  if (which == 3) {
    const auto run = read_input(document, read_run_input);
    if (!run || !is_small(*run)) return;
    const auto out = simulate_run(document);
    if (out) check_output(out->json);
  }
  if (which == 4) (void)open_load_allocator(document);
  if (which == 5) (void)read_cache_placer(document);
}

}  // namespace weir::sim
