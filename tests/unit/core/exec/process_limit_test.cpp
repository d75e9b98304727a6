#include "core/exec/process_limit.h"

#include <errno.h>
#include <gtest/gtest.h>

#include "core/exec/classify.h"

namespace weir {
namespace {

EndOfProcess failed_with(init::StepEnd how, int value) {
  EndOfProcess end;
  end.record.complete = true;
  end.record.steps.push_back({0, how, value});
  end.planned_steps = 1;
  end.most_processes = 1000;
  end.program = "sh";
  return end;
}

bool names_limit(const Verdict& verdict) {
  return verdict.evidence.find("1000 processes") != std::string::npos;
}

TEST(ProcessLimit, a_job_that_reached_it_fails_as_a_command_and_says_so) {
  auto end = failed_with(init::StepEnd::exited, 2);
  EXPECT_FALSE(names_limit(classify(end)));
  end.record.at_process_limit = true;
  EXPECT_EQ(classify(end).failure, Failure::command);
  EXPECT_TRUE(names_limit(classify(end))) << classify(end).evidence;
}

TEST(ProcessLimit, what_tools_say_of_it_counts) {
  auto end = failed_with(init::StepEnd::exited, 2);
  end.output = "make: fork: Resource temporarily unavailable\nmake: *** [all] Error 2\n";
  EXPECT_TRUE(names_limit(classify(end)));
  end.output = "read: Resource temporarily unavailable\n";
  EXPECT_FALSE(names_limit(classify(end)));
}

TEST(ProcessLimit, a_step_that_finds_no_room_left_by_an_earlier_one_is_the_jobs_fault) {
  auto end = failed_with(init::StepEnd::no_fork, EAGAIN);
  EXPECT_EQ(classify(end).failure, Failure::infra) << "the machine is short of processes";
  end.record.at_process_limit = true;
  EXPECT_EQ(classify(end).failure, Failure::command);
}

TEST(ProcessLimit, leaves_room_for_real_builds) { EXPECT_GE(most_processes_of_a_job(), 512u); }

}  // namespace
}  // namespace weir
