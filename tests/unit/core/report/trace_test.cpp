#include "core/report/trace.h"

#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_check.h"

namespace weir {
namespace {

using std::chrono::seconds;

TraceFacts facts_of(const std::string& events, RunStand stand = RunStand::over) {
  const TemporaryFolder folder;
  folder.write("events", events);
  auto facts = check_trace(trace_json(RunRecord::read(folder / "events"), stand));
  for (const auto& problem : facts.problems) ADD_FAILURE() << problem;
  return facts;
}

TEST(Trace, jobs_are_on_tracks_of_their_worker_and_the_critical_ones_add_up) {
  const auto facts = facts_of(MadeRun::of_jobs(500));
  EXPECT_EQ(facts.jobs, 500u);
  EXPECT_EQ(facts.steps, 500u);
  EXPECT_EQ(facts.workers, 4u);
  EXPECT_EQ(facts.failures, 5u);
  EXPECT_GT(facts.critical_jobs, 10u);
  EXPECT_NEAR(facts.critical_seconds, facts.critical_path, 1e-9);
}

TEST(Trace, a_run_that_goes_on_ends_with_its_last_event) {
  MadeRun run;
  run.start(1, 2).job_start(0, "a").at(seconds(1)).job_start(1, "b").tell(event::JobSuspend{0});
  run.tell(event::JobEnd{7, "waited", "build", "cancelled", {}, {}, 0, 0, 0, {}});
  const auto facts = facts_of(run.text(), RunStand::running);
  EXPECT_EQ(facts.jobs, 2u) << "one that never started is nowhere";
  EXPECT_EQ(facts.stand, "running");
  EXPECT_EQ(facts.critical_path, 0);
}

TEST(Trace, of_nothing_is_still_a_trace) { EXPECT_EQ(facts_of("").jobs, 0u); }

// The checker itself: what it is for it finds.
TEST(TraceCheck, notices_what_is_wrong) {
  const std::string head =
      R"({"traceEvents":[{"ph":"M","pid":1,"tid":1,"ts":0,"name":"thread_name","args":{"name":"t"}},)";
  const auto job = [](int begin, int length, const char* kind = "build") {
    return fmt::format(
        R"({{"ph":"X","pid":1,"tid":1,"ts":{},"dur":{},"name":"x","cat":"{}","args":{{"critical":false,"seconds":0}}}})",
        begin, length, kind);
  };
  const auto problems = [&](const std::string& events) {
    return check_trace(head + events + R"(],"otherData":{}})").problems.size();
  };
  EXPECT_EQ(problems(job(0, 5) + "," + job(5, 5)), 0u);
  EXPECT_GT(problems(job(0, 5) + "," + job(4, 5)), 0u) << "overlap";
  EXPECT_GT(problems(job(0, 5) + "," + job(3, 5, "step")), 0u) << "a step that outlives its job";
  EXPECT_GT(problems(job(-1, 5)), 0u) << "before the start";
  EXPECT_GT(problems(job(3, -1)), 0u) << "ends before it begins";
  EXPECT_GT(problems(R"({"ph":"B","pid":1,"tid":1,"ts":0,"name":"x"})"), 0u) << "no end";
  EXPECT_GT(problems(R"({"ph":"C","pid":1,"tid":0,"ts":0,"name":"t","args":{"in use":2}})"), 0u)
      << "never given back";
}

}  // namespace
}  // namespace weir
