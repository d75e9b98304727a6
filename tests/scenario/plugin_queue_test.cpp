// A queue of a plugin in the row.
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

constexpr Facts kPushable{.present = true, .can_push = true};
constexpr Facts kCached{.present = true, .cached = true, .can_push = true};

using Is = QueueOpinion::Is;

TEST(PluginQueueScenario, stands_between_build_and_push_and_holds_nobody_else_up) {
  Scenario s;
  s.element("lib", {}, kPushable).element("app", {"lib"}, kPushable);
  s.job("lib/test").takes(5s);
  ASSERT_TRUE(s.run({"fetch", "build", "test", "push"}));
  EXPECT_EQ(s.schedule(),
            "0s start lib/build\n"
            "1s end lib/build succeeded\n"
            "1s start lib/test\n"
            "1s start app/build\n"
            "2s end app/build succeeded\n"
            "2s start app/test\n"
            "3s end app/test succeeded\n"
            "3s start app/push\n"
            "4s end app/push succeeded\n"
            "6s end lib/test succeeded\n"
            "6s start lib/push\n"
            "7s end lib/push succeeded\n");
}

TEST(PluginQueueScenario, what_fails_there_is_not_pushed_and_those_that_use_it_are_built_all_the_same) {
  Scenario s;
  s.options.on_error = OnError::go_on;
  s.element("lib", {}, kPushable).element("app", {"lib"}, kPushable);
  s.job("lib/test").fails(Failure::command);
  ASSERT_TRUE(s.run({"fetch", "build", "test", "push"}));
  EXPECT_EQ(s.schedule().find("lib/push"), std::string::npos) << s.schedule();
  EXPECT_NE(s.schedule().find("end app/push succeeded"), std::string::npos) << s.schedule();
  EXPECT_EQ(s.final_phases(), "lib=failed app=finished");
  EXPECT_EQ(s.summary().exit, 1);
}

TEST(PluginQueueScenario, skips_never_and_done_before_are_told_in_words) {
  Scenario s;
  s.options.on_error = OnError::go_on;
  s.text.with_states = true;
  auto skipped = kCached, refused = kCached, tested = kCached;
  skipped.opinion = Is::skip;
  refused.opinion = Is::never;
  tested.tested = Answer::yes;
  s.element("skipped", {}, skipped).element("refused", {}, refused).element("tested", {}, tested);
  ASSERT_TRUE(s.run({"fetch", "build", "test"}));
  EXPECT_NE(s.schedule().find("skip skipped/test: the plugin says so"), std::string::npos) << s.schedule();
  EXPECT_NE(s.schedule().find("failed refused/test: the plugin says so"), std::string::npos) << s.schedule();
  EXPECT_NE(s.schedule().find("skip tested/test: done before with the same inputs"), std::string::npos)
      << s.schedule();
}

TEST(PluginQueueScenario, a_cached_element_gets_what_it_was_built_with_only_if_there_is_work) {
  Scenario s;
  auto tested = kCached;
  tested.tested = Answer::yes;
  s.element("lib", {}, Facts{.present = true}).element("done", {"lib"}, tested).want({"done"});
  ASSERT_TRUE(s.run({"fetch", "build", "test"}));
  EXPECT_EQ(s.schedule(), "") << "nobody needs lib";

  Scenario t;
  t.element("lib", {}, Facts{.present = true}).element("untested", {"lib"}, kCached).want({"untested"});
  ASSERT_TRUE(t.run({"fetch", "build", "test"}));
  EXPECT_EQ(t.schedule(),
            "0s start lib/build\n"
            "1s end lib/build succeeded\n"
            "1s start lib/test\n"
            "1s start untested/test\n"
            "2s end lib/test succeeded\n"
            "2s end untested/test succeeded\n");
}

TEST(PluginQueueScenario, sources_of_a_cached_element_are_fetched_if_the_queue_wants_them) {
  Scenario s;
  auto wants = Facts{.cached = true};
  wants.wants_sources = true;
  s.element("wants", {}, wants).element("not", {}, Facts{.cached = true});
  ASSERT_TRUE(s.run({"fetch", "build", "test"}));
  EXPECT_NE(s.schedule().find("start wants/fetch"), std::string::npos) << s.schedule();
  EXPECT_EQ(s.schedule().find("not/fetch"), std::string::npos) << s.schedule();
}

TEST(PluginQueueScenario, before_build_it_sees_sources_and_can_keep_an_element_from_being_built) {
  Scenario s;
  s.options.on_error = OnError::go_on;
  s.element("good", {}, Facts{.present = true})
      .element("bad", {}, Facts{.present = true})
      .element("cached", {}, kCached);
  s.job("bad/test").fails(Failure::command);
  ASSERT_TRUE(s.run({"fetch", "test", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start good/test\n"
            "0s start bad/test\n"
            "1s end good/test succeeded\n"
            "1s end bad/test failed command\n"
            "1s start good/build\n"
            "2s end good/build succeeded\n");
}

}  // namespace
}  // namespace weir::test
