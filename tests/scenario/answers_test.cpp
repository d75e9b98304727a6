// Questions to the store that are answered later, and locks that another weir has.
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

Facts with(Facts facts, Answer lookup, Answer build = Answer::yes) {
  facts.lookup = lookup;
  facts.build = build;
  return facts;
}

// At a moment the answer changes, and the element is told.
void answer(Scenario& s, Duration when, std::uint32_t element, std::function<void(Facts&)> change) {
  s.after(when, [&s, element, change](Scheduler& scheduler) {
    change(s.world.facts[element]);
    scheduler.door().post(input::News{ElementId{element}});
  });
}

TEST(Answers, an_element_goes_on_when_the_lookup_is_answered_and_others_do_not_wait_for_it) {
  Scenario s;
  s.element("asked", {}, with(kSources, Answer::later))
      .element("other", {}, kSources)
      .element("user", {"asked"}, kSources);
  answer(s, 5s, 0, [](Facts& facts) { facts.lookup = Answer::yes; });
  ASSERT_TRUE(s.run({"pull", "fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start other/build\n"
            "1s end other/build succeeded\n"
            "5s start asked/build\n"
            "6s end asked/build succeeded\n"
            "6s start user/build\n"
            "7s end user/build succeeded\n");
}

TEST(Answers, what_another_weir_builds_is_waited_for_without_holding_a_token) {
  Scenario s;
  s.tokens("process", 1);
  s.element("theirs", {}, with(kSources, Answer::yes, Answer::locked)).element("mine", {}, kSources);
  s.text.with_states = true;
  s.want({"theirs", "mine"});
  answer(s, 9s, 0, [](Facts& facts) {
    facts.cached = true;
    facts.build = Answer::no;
  });
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s wait theirs/build: another weir builds it\n"
            "0s ready mine/build\n"
            "0s start mine/build\n"
            "1s end mine/build succeeded\n"
            "1s done mine/build\n"
            "9s skip theirs/build: cached\n");
  EXPECT_EQ(s.summary().counts.built, 1u);
  EXPECT_EQ(s.summary().counts.cached, 1u);
}

TEST(Answers, a_run_that_ends_early_does_not_wait_for_the_lock_of_another_weir) {
  Scenario s;
  s.element("theirs", {}, with(kSources, Answer::yes, Answer::locked)).element("bad", {}, kSources);
  s.job("bad/build").fails(Failure::command);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.final_phases(), "theirs=blocked bad=failed");
  EXPECT_EQ(s.summary().exit, 1);
}

TEST(Answers, an_interrupt_ends_a_run_that_waits_for_an_answer) {
  Scenario s;
  s.element("asked", {}, with(kSources, Answer::later));
  s.at(3s, input::CancelRun{});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.summary().exit, 130);
}

TEST(Answers, what_failed_before_with_the_same_inputs_fails_at_once) {
  Scenario s;
  s.element("bad", {}, with(kSources, Answer::yes, Answer::failed)).element("user", {"bad"}, kSources);
  s.text.with_states = true;
  s.want({"user"});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s wait user/build: a dependency is not built yet\n"
            "0s failed bad/build: failed before with the same inputs: --retry-failed tries it again\n"
            "0s blocked user/build: a dependency failed\n");
  EXPECT_EQ(s.summary().exit, 1);
}

}  // namespace
}  // namespace weir::test
