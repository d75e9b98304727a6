#include "core/exec/classify.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

// A job can write the record of its weir-init. An exception here would end weir, and all other jobs with it.
TEST(Classify, an_error_number_without_a_name_is_told_by_its_number) {
  EndOfProcess end;
  end.planned_steps = 1;
  end.program = "tool";
  end.record.complete = true;
  end.record.steps.push_back({0, init::StepEnd::no_exec, 4000, {}, {}, {}});
  const auto verdict = classify(end);
  EXPECT_EQ(verdict.failure, Failure::command);
  EXPECT_EQ(verdict.evidence, "cannot run 'tool': error 4000");
}

}  // namespace
}  // namespace weir
