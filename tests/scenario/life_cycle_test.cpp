// Suspend, time-outs, retries, cancel, breakers, and executors that lie.
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

Limits timeout(Duration duration) { return {duration, {}, 1, 0}; }
Limits stall(Duration duration) { return {{}, duration, 1, 0}; }

// Without delay, so that no jitter shows in the text; the delays have a test of their own.
RetryPolicy retries(Failure failure, std::uint8_t count) {
  RetryPolicy policy;
  policy.set(failure, count);
  policy.backoff = {Duration::zero(), Duration::zero()};
  return policy;
}

TEST(LifeCycle, a_job_times_out) {
  Scenario s;
  s.element("a", {}, kSources);
  s.world.limits["a/build"] = timeout(3s);
  s.job("a/build").takes(10s).dies_after(2s);
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "3s stop a/build timeout\n"
            "5s end a/build failed timeout\n");
  EXPECT_EQ(s.summary().exit, 5);
}

TEST(LifeCycle, a_suspended_job_times_out_only_by_its_running_time) {
  Scenario s;
  s.element("slow", {}, kSources).element("fast", {}, kSources);
  s.world.limits["slow/build"] = timeout(3s);
  s.world.limits["fast/build"] = timeout(3s);
  s.job("slow/build").takes(10s);
  s.job("fast/build").takes(2500ms);
  s.options.on_error = OnError::go_on;
  s.at(1s, input::SuspendAll{}).at(101s, input::ResumeAll{});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start slow/build\n"
            "0s start fast/build\n"
            "1s suspend slow/build\n"
            "1s suspend fast/build\n"
            "101s resume slow/build\n"
            "101s resume fast/build\n"
            "102.500s end fast/build succeeded\n"
            "103s stop slow/build timeout\n"
            "103s end slow/build failed timeout\n");
}

TEST(LifeCycle, a_job_that_writes_does_not_stall_and_one_that_stops_writing_does) {
  Scenario s;
  s.element("quiet", {}, kSources).element("chatty", {}, kSources);
  s.world.limits["quiet/build"] = stall(5s);
  s.world.limits["chatty/build"] = stall(5s);
  s.job("quiet/build").takes(30s);
  s.job("chatty/build").takes(20s).writes_every(4s);
  s.options.on_error = OnError::go_on;
  s.at(2s, input::SuspendJob{JobId{0}}).at(52s, input::ResumeJob{JobId{0}});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start quiet/build\n"
            "0s start chatty/build\n"
            "2s suspend quiet/build\n"
            "20s end chatty/build succeeded\n"
            "52s resume quiet/build\n"
            "55s stop quiet/build stall\n"
            "55s end quiet/build failed stall\n");
}

TEST(LifeCycle, retries_are_by_class_and_each_class_has_its_own_count) {
  Scenario s;
  s.element("net", {}, kSources).element("cmd", {}, kSources).element("mixed", {}, kSources);
  s.retry = retries(Failure::network, 2);
  s.retry.set(Failure::oom, 1);
  s.options.on_error = OnError::go_on;
  s.tokens("process", 3);
  s.job("net/build").fails(Failure::network);
  s.job("cmd/build").fails(Failure::command);
  s.job("mixed/build").fails(Failure::oom).then().fails(Failure::network).then().takes(5s);
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start net/build\n"
            "0s start cmd/build\n"
            "0s start mixed/build\n"
            "1s end net/build failed network\n"
            "1s end cmd/build failed command\n"
            "1s end mixed/build failed oom\n"
            "1s start net/build attempt 2\n"
            "2s end net/build failed network\n"
            "2s start mixed/build attempt 2\n"  // alone, since it was killed for want of memory
            "3s end mixed/build failed network\n"
            "3s start net/build attempt 3\n"
            "4s end net/build failed network\n"
            "4s start mixed/build attempt 3\n"
            "9s end mixed/build succeeded\n");
  EXPECT_EQ(s.final_phases(), "net=failed cmd=failed mixed=finished");
  EXPECT_EQ(s.summary().exit, 1);
}

TEST(LifeCycle, back_off_grows_and_stays_within_its_bounds) {
  Random random(3);
  const Backoff backoff{1s, 10s};
  for (int round = 0; round < 1000; ++round) {
    for (unsigned retry = 0; retry < 8; ++retry) {
      const auto full = std::min<Duration>(10s, 1s * (1 << retry));
      const auto delay = backoff.before(retry, random);
      ASSERT_GE(delay, full / 2);
      ASSERT_LE(delay, full);
    }
  }
}

TEST(LifeCycle, breaker_opens_probes_and_closes) {
  Scenario s;
  s.tokens("process", 1);
  s.options.on_error = OnError::go_on;
  s.options.breaker = {2, 30s};
  for (const auto* name : {"a", "b", "c", "d", "e"}) s.element(name, {}, kSources);
  for (const auto* label : {"a/build", "b/build", "c/build"}) s.job(label).fails(Failure::infra);
  s.text.with_waits = true;
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s wait b/build for token process\n"
            "1s end a/build failed infra\n"
            "1s start b/build\n"
            "1s wait c/build for token process\n"
            "2s end b/build failed infra\n"  // the second in a row: open
            "2s wait c/build for breaker local\n"
            "32s start c/build\n"  // the probe
            "32s wait d/build for token process\n"
            "33s end c/build failed infra\n"  // open again
            "33s wait d/build for breaker local\n"
            "63s start d/build\n"
            "63s wait e/build for token process\n"
            "64s end d/build succeeded\n"  // closed
            "64s start e/build\n"
            "65s end e/build succeeded\n");
  EXPECT_EQ(s.summary().exit, 4);
}

TEST(LifeCycle, cancel_of_a_waiting_job) {
  Scenario s;
  s.tokens("process", 1);
  s.element("a", {}, kSources)
      .element("b", {}, kSources)
      .element("c", {"b"}, kSources)
      .element("d", {}, kSources);
  s.job("b/build").takes(2s);
  s.at(1s, input::CancelJob{JobId{0}});  // a: second in line
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start b/build\n"
            "1s end a/build cancelled\n"
            "2s end b/build succeeded\n"
            "2s start c/build\n"
            "3s end c/build succeeded\n"
            "3s start d/build\n"
            "4s end d/build succeeded\n");
  EXPECT_EQ(s.final_phases(), "a=cancelled b=finished c=finished d=finished");
  EXPECT_EQ(s.summary().exit, 130);
}

TEST(LifeCycle, cancel_of_a_running_a_suspended_and_a_backed_off_job) {
  Scenario s;
  s.tokens("process", 3);
  s.element("running", {}, kSources).element("asleep", {}, kSources).element("failing", {}, kSources);
  s.element("behind", {"asleep"}, kSources);
  s.retry.set(Failure::network, 3);
  s.retry.backoff = {100s, 100s};
  s.job("running/build").takes(10s).dies_after(1s);
  s.job("asleep/build").takes(10s);
  s.job("failing/build").fails(Failure::network);
  s.at(1s, input::SuspendJob{JobId{1}});
  for (std::uint32_t job : {0, 1, 2}) s.at(2s, input::CancelJob{JobId{job}});
  s.at(2s, input::CancelJob{JobId{77}});  // nobody
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start asleep/build\n"
            "0s start running/build\n"
            "0s start failing/build\n"
            "1s suspend asleep/build\n"
            "1s end failing/build failed network\n"
            "2s stop running/build cancelled\n"
            "2s stop asleep/build cancelled\n"
            "2s end asleep/build cancelled\n"
            "3s end running/build cancelled\n");
  EXPECT_EQ(s.final_phases(), "running=cancelled asleep=cancelled failing=cancelled behind=blocked");
}

TEST(LifeCycle, cancel_of_all_jobs_leaves_the_rest_of_the_run) {
  Scenario s;
  s.tokens("process", 1);
  s.element("a", {}, kSources).element("b", {}, kSources).element("late");
  s.job("late/fetch").takes(5s);
  s.job("a/build").takes(10s);
  s.at(1s, input::CancelAll{});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "a=cancelled b=cancelled late=cancelled");  // late was being fetched

  Scenario t;
  t.tokens("process", 1);
  t.element("lib", {}, kSources).element("app", {"lib"}, kSources).element("other", {}, kSources);
  t.at(500ms, input::CancelJob{JobId{1}});
  t.at(1500ms, input::CancelAll{});
  ASSERT_TRUE(t.run({"fetch", "build"}));
  EXPECT_EQ(t.final_phases(), "lib=finished app=cancelled other=cancelled");
}

TEST(LifeCycle, cancel_of_the_run_stops_everything_and_tells_how) {
  Scenario s;
  s.tokens("process", 1);
  s.element("a", {}, kSources).element("b", {}, kSources).element("c", {"b"}, kSources);
  s.job("b/build").takes(100s).dies_after(60s);
  s.options.grace = 5s;
  s.at(1s, input::SuspendAll{}).at(2s, input::CancelRun{143}).at(3s, input::CancelRun{130});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start b/build\n"
            "1s suspend b/build\n"
            "2s end a/build cancelled\n"
            "2s stop b/build shutdown\n"
            "7s end b/build cancelled\n");
  EXPECT_EQ(s.summary().exit, 143);
  EXPECT_EQ(s.summary().ending, Ending::cancelled);
}

TEST(LifeCycle, quit_lets_running_jobs_end_and_still_pushes_what_was_built) {
  Scenario s;
  s.element("bad", {}, kSources).element("good", {}, {.present = true, .can_push = true});
  s.element("next", {"good"}, {.present = true, .can_push = true}).element("unstarted", {}, kSources);
  s.job("bad/build").fails(Failure::command);
  s.job("good/build").takes(3s);
  ASSERT_TRUE(s.run({"fetch", "build", "push"}));
  EXPECT_EQ(s.schedule(),
            "0s start good/build\n"
            "0s start bad/build\n"
            "1s end bad/build failed command\n"
            "1s end unstarted/build skipped\n"
            "3s end good/build succeeded\n"
            "3s start good/push\n"
            "4s end good/push succeeded\n");
  EXPECT_EQ(s.final_phases(), "bad=failed good=finished next=blocked unstarted=blocked");
  EXPECT_EQ(s.summary().exit, 1);
}

TEST(LifeCycle, carry_on_builds_all_that_does_not_depend_on_the_failure) {
  Scenario s;
  s.options.on_error = OnError::go_on;
  s.element("bad", {}, kSources)
      .element("x", {"bad"}, kSources)
      .element("y", {"x"}, kSources)
      .element("z", {}, kSources);
  s.job("bad/build").fails(Failure::command);
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=failed x=blocked y=blocked z=finished");
  EXPECT_EQ(s.summary().counts.skipped, 2u);
}

TEST(LifeCycle, terminate_stops_what_runs) {
  Scenario s;
  s.options.on_error = OnError::terminate;
  s.element("bad", {}, kSources).element("z", {}, kSources);
  s.job("bad/build").fails(Failure::command);
  s.job("z/build").takes(50s);
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start bad/build\n"
            "0s start z/build\n"
            "1s end bad/build failed command\n"
            "1s stop z/build shutdown\n"
            "1s end z/build cancelled\n");
}

TEST(LifeCycle, an_artifact_that_cannot_be_committed_fails_its_element) {
  Scenario s;
  s.element("a", {}, kSources);
  s.world.reject_commits = true;
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "a=failed");
  EXPECT_EQ(s.summary().exit, 4);
}

TEST(LifeCycle, records_that_cannot_be_kept_fail_the_run_before_its_end_is_told) {
  Scenario s;
  s.element("a", {}, kSources);
  s.options.keep_all = [] { return SchedulerOptions::NotKept{"committing: No space left on device", 4}; };
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "a=finished");
  EXPECT_EQ(s.summary().ending, Ending::failed);
  EXPECT_EQ(s.summary().exit, 4);
}

TEST(BadExecutor, a_lost_end_is_noticed_and_the_job_runs_again) {
  Scenario s;
  s.element("a", {}, kSources);
  s.options.lost_after = 60s;
  s.retry = retries(Failure::lost, 2);
  s.faults = BadExecutor::Faults{.lose = 1};
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "60s end a/build failed lost\n"
            "60s start a/build attempt 2\n"
            "120s end a/build failed lost\n"
            "120s start a/build attempt 3\n"
            "180s end a/build failed lost\n");
  EXPECT_EQ(s.summary().exit, 4);
}

TEST(BadExecutor, a_stopped_job_of_which_nothing_is_heard_is_lost) {
  Scenario s;
  s.element("a", {}, kSources);
  s.world.limits["a/build"] = timeout(3s);
  s.options.grace = 1s;
  s.options.stop_margin = 2s;
  s.retry = {};
  s.job("a/build").takes(10s);
  s.faults = BadExecutor::Faults{.lose = 1};
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "3s stop a/build timeout\n"
            "6s end a/build failed lost\n");
}

TEST(BadExecutor, an_end_told_twice_counts_once) {
  Scenario s;
  s.element("a", {}, kSources).element("b", {"a"}, kSources);
  s.faults = BadExecutor::Faults{.duplicate = 1};
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "1s end a/build succeeded\n"
            "1s start b/build\n"
            "2s end b/build succeeded\n");
  EXPECT_EQ(s.summary().counts.built, 2u);
}

// The first end comes when the job was declared lost and runs again: it is dropped, the second attempt
// decides.
TEST(BadExecutor, a_late_end_of_a_lost_job_is_not_taken_for_its_successor) {
  Scenario s;
  s.element("a", {}, kSources);
  s.options.lost_after = 10s;
  s.retry = retries(Failure::lost, 1);
  s.job("a/build").takes(1s).then().takes(9s);
  s.faults = BadExecutor::Faults{.delay = 1, .late_by = 15s, .at_most = 1};
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "10s end a/build failed lost\n"
            "10s start a/build attempt 2\n"
            "19s end a/build succeeded\n");
}

}  // namespace
}  // namespace weir::test
