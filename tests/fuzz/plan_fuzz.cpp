// The plan of a plugin: a document of words from elsewhere that becomes steps of a job.
#include "plugins/host/plan_document.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

WEIR_FUZZ_TARGET(plan) {
  const Folders folders = {"build", "install", "source/0"};
  (void)read_words(input);
  const auto document = sdk::Json::parse(input);
  if (!document) return;
  (void)read_counts(*document);
  (void)read_plan(*document, folders);
  const auto steps = read_steps(*document, folders, document->find("fetch") ? "source" : "build");
  if (!steps) return;
  JobSpec spec;
  spec.steps = *steps;
  const auto again = decode_job_spec(encode(spec));
  WEIR_ASSERT(again && again->steps == *steps, "steps changed by writing them");
  for (const auto& step : *steps)
    if (const auto* write = std::get_if<WriteStep>(&step))
      WEIR_ASSERT(is_inside(write->to, folders), "{}", write->to);
}

}  // namespace weir
