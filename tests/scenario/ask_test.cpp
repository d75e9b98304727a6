// A person at the terminal decides about failures and interrupts.
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

using input::Choice;

// `bad` fails after a second while `other` runs, and `top` needs both.
class Ask : public testing::Test {
 protected:
  Ask() {
    s.options.ask = true;
    s.element("bad", {}, kSources).element("other", {}, kSources).element("top", {"bad", "other"}, kSources);
    s.job("bad/build").takes(1s).fails(Failure::command).then().takes(2s);
    s.job("other/build").takes(3s);
  }
  Scenario s;
};

TEST_F(Ask, all_jobs_are_suspended_until_the_answer_and_a_retry_is_another_attempt) {
  s.at(100s, input::Answer{Choice::retry});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start bad/build\n"
            "0s start other/build\n"
            "1s end bad/build failed command\n"
            "1s suspend other/build\n"
            "1s ask failure bad\n"
            "100s resume other/build\n"
            "100s start bad/build attempt 2\n"
            "102s end other/build succeeded\n"
            "102s end bad/build succeeded\n"
            "102s start top/build\n"
            "103s end top/build succeeded\n");
  EXPECT_EQ(s.summary().exit, 0);
}

TEST_F(Ask, continue_builds_what_does_not_need_it) {
  s.element("alone", {}, kSources);
  s.at(10s, input::Answer{Choice::go_on});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=failed other=finished top=blocked alone=finished");
  EXPECT_EQ(s.summary().exit, 1);
}

TEST_F(Ask, quit_lets_running_jobs_end_and_starts_nothing_new) {
  s.tokens("process", 2).element("late", {}, kSources);
  s.at(10s, input::Answer{Choice::quit});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=failed other=finished top=blocked late=blocked");
  EXPECT_EQ(s.summary().exit, 1);
}

TEST_F(Ask, terminate_stops_running_jobs) {
  s.at(10s, input::Answer{Choice::terminate});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=failed other=cancelled top=blocked");
  EXPECT_EQ(s.summary().exit, 1);
}

TEST_F(Ask, failures_at_the_same_moment_are_asked_about_one_after_the_other) {
  s.job("other/build") = JobScript();
  s.job("other/build").takes(1s).fails(Failure::timeout).then().takes(1s);
  s.at(10s, input::Answer{Choice::go_on}).at(20s, input::Answer{Choice::retry});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start bad/build\n"
            "0s start other/build\n"
            "1s end bad/build failed command\n"
            "1s suspend other/build\n"
            "1s ask failure bad\n"
            "1s end other/build failed timeout\n"
            "10s ask failure other\n"
            "20s start other/build attempt 2\n"
            "21s end other/build succeeded\n");
  EXPECT_EQ(s.final_phases(), "bad=failed other=finished top=blocked");
}

TEST_F(Ask, a_run_that_is_cancelled_while_it_asks_ends_with_that_failure) {
  s.at(10s, input::CancelRun{143, false});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=failed other=cancelled top=blocked");
  EXPECT_EQ(s.summary().exit, 143);
  EXPECT_EQ(s.summary().counts.failed, 1u);
}

TEST_F(Ask, what_was_asked_about_may_be_cancelled_from_elsewhere) {
  s.at(10s, input::CancelJob{JobId{0}});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=cancelled other=finished top=blocked");
}

TEST_F(Ask, an_answer_without_a_question_is_nothing) {
  s.at(500ms, input::Answer{Choice::terminate}).at(10s, input::Answer{Choice::retry});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.summary().exit, 0);
}

TEST_F(Ask, an_interrupt_suspends_asks_and_goes_on) {
  s.job("bad/build").then();
  s.options.ask = false;
  s.options.on_error = OnError::go_on;
  s.at(500ms, input::Interrupt{}).at(600ms, input::Interrupt{}).at(20s, input::Answer{Choice::go_on});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start bad/build\n"
            "0s start other/build\n"
            "0.500s suspend bad/build\n"
            "0.500s suspend other/build\n"
            "0.500s ask interrupt\n"
            "20s resume bad/build\n"
            "20s resume other/build\n"
            "20.500s end bad/build failed command\n"
            "22.500s end other/build succeeded\n");
}

TEST_F(Ask, after_an_interrupt_quit_is_exit_130_and_what_runs_may_end) {
  s.at(500ms, input::Interrupt{}).at(20s, input::Answer{Choice::quit});
  s.job("bad/build") = JobScript();
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=finished other=finished top=blocked");
  EXPECT_EQ(s.summary().exit, 130);
}

TEST_F(Ask, after_an_interrupt_terminate_is_exit_130_and_stops_everything) {
  s.at(500ms, input::Interrupt{}).at(20s, input::Answer{Choice::terminate});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=cancelled other=cancelled top=blocked");
  EXPECT_EQ(s.summary().exit, 130);
}

TEST_F(Ask, an_interrupt_while_a_failure_is_asked_about_comes_after_it) {
  s.at(10s, input::Interrupt{})
      .at(20s, input::Answer{Choice::go_on})
      .at(30s, input::Answer{Choice::terminate});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.final_phases(), "bad=failed other=cancelled top=blocked");
  EXPECT_EQ(s.summary().exit, 130);
}

TEST_F(Ask, retries_of_the_policy_come_before_the_question) {
  s.job("bad/build") = JobScript();
  s.job("bad/build").takes(1s).fails(Failure::network).then().takes(1s).fails(Failure::network).then();
  s.retry = RetryPolicy();
  s.retry.set(Failure::network, 1);
  s.retry.backoff = {Duration::zero(), Duration::zero()};
  s.job("other/build").takes(1s);
  s.at(10s, input::Answer{Choice::retry});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_NE(
      s.schedule().find("2s ask failure bad\n10s start bad/build attempt 3\n11s end bad/build succeeded"),
      std::string::npos)
      << s.schedule();
}

}  // namespace
}  // namespace weir::test
