// A hostile job can write into the memory file of its weir-init: header, plan and record. What weir reads
// there becomes times, sums and a verdict.
#include <unistd.h>

#include "core/exec/classify.h"
#include "core/exec/init_plan.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

WEIR_FUZZ_TARGET(init_record) {
  fuzz::Choices choices(input);
  InitPlan plan;
  plan.environment = {{"PATH", "/bin"}};
  for (auto left = choices.byte() % 4; left > 0; --left) plan.steps.push_back({{"sh", "-c", "true"}, "/"});
  auto file = PlanFile::make(plan);
  WEIR_ASSERT(file.has_value(), "no plan");
  EndOfProcess end;
  end.planned_steps = plan.steps.size();
  end.program = "sh";
  const auto facts = choices.byte();
  end.sandboxed = facts & 1;
  end.inside_ended = facts & 2;
  end.killed_by_us = facts & 4;
  end.disk_full = facts & 8;
  end.oom_kills = (facts & 16) ? 1 : 0;
  end.oom_kills_around = (facts & 32) ? 1 : 0;
  if (facts & 64) end.address_space = choices.number();
  end.status = static_cast<int>(choices.number() & 0xffff);
  const ExitMeaning meanings[] = {{3, Failure::network}};
  if (facts & 128) end.meanings = meanings;
  const auto output = choices.text();
  end.output = output;

  // Where the record is to begin; else somewhere in the header.
  const bool at_record = choices.byte() % 4 != 0;
  std::uint32_t plan_size = 0;
  WEIR_ASSERT(::pread(file->fd(), &plan_size, sizeof plan_size, init::kPlanSizeOffset) == 4, "no header");
  const auto at = at_record ? init::kHeaderSize + plan_size : std::size_t{choices.byte()};
  const auto forged = choices.rest().substr(0, 60'000);
  (void)::pwrite(file->fd(), forged.data(), forged.size(), static_cast<off_t>(at));

  end.record = file->record();
  WEIR_ASSERT(end.record.steps.size() <= (1 << 16), "{} steps", end.record.steps.size());
  for (const auto& step : end.record.steps) {
    WEIR_ASSERT(step.step < plan.steps.size(), "step {}", step.step);
    WEIR_ASSERT(step.finish >= step.begin && step.usage.cpu.count() >= 0, "a step with a negative time");
  }
  WEIR_ASSERT(end.record.usage.cpu.count() >= 0, "a job with a negative time");
  const auto verdict = classify(end);
  WEIR_ASSERT(verdict.failure == Failure::none || !verdict.evidence.empty() || !end.meanings.empty(),
              "a failure without a word");
}

}  // namespace weir
