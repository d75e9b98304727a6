// Which job starts when.
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

TEST(Order, an_element_goes_from_queue_to_queue_and_waits_for_its_dependencies) {
  Scenario s;
  s.element("lib").element("app", {"lib"});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start lib/fetch\n"
            "0s start app/fetch\n"
            "1s end lib/fetch succeeded\n"
            "1s end app/fetch succeeded\n"
            "1s start lib/build\n"
            "2s end lib/build succeeded\n"
            "2s start app/build\n"
            "3s end app/build succeeded\n");
  EXPECT_EQ(s.summary().exit, 0);
  EXPECT_EQ(s.summary().counts.built, 2u);
  EXPECT_EQ(s.summary().counts.fetched, 2u);
  EXPECT_DOUBLE_EQ(s.summary().critical_path, 3.0);  // app/fetch waited for nobody
}

TEST(Order, exact_start_order_with_one_token_is_longest_path_then_id) {
  Scenario s;
  s.tokens("process", 1);
  // "deep" has two more behind it, "b" and "c" have none: deep first, then by id.
  s.element("b", {}, {.present = true})
      .element("c", {}, {.present = true})
      .element("deep", {}, {.present = true});
  s.element("mid", {"deep"}, {.present = true}).element("top", {"mid"}, {.present = true});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start deep/build\n"
            "1s end deep/build succeeded\n"
            "1s start mid/build\n"
            "2s end mid/build succeeded\n"
            "2s start b/build\n"
            "3s end b/build succeeded\n"
            "3s start c/build\n"
            "4s end c/build succeeded\n"
            "4s start top/build\n"
            "5s end top/build succeeded\n");
}

// fetch and push share one token here. At 2s and 3s both a push and a fetch could have it: push is further
// along.
TEST(Order, later_queues_win_shared_tokens) {
  Scenario s;
  s.tokens("download", 1);
  s.share_one_token = true;
  s.element("a", {}, {.can_push = true})
      .element("b", {}, {.can_push = true})
      .element("c", {}, {.can_push = true});
  for (const auto* label : {"a/build", "b/build", "c/build"}) s.job(label).takes(0s);
  ASSERT_TRUE(s.run({"fetch", "build", "push"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/fetch\n"
            "1s end a/fetch succeeded\n"
            "1s start a/build\n"
            "1s start b/fetch\n"
            "1s end a/build succeeded\n"
            "2s end b/fetch succeeded\n"
            "2s start a/push\n"
            "2s start b/build\n"
            "2s end b/build succeeded\n"
            "3s end a/push succeeded\n"
            "3s start b/push\n"
            "4s end b/push succeeded\n"
            "4s start c/fetch\n"
            "5s end c/fetch succeeded\n"
            "5s start c/build\n"
            "5s end c/build succeeded\n"
            "5s start c/push\n"
            "6s end c/push succeeded\n");
}

TEST(Order, an_element_builds_while_another_one_is_still_tracked) {
  Scenario s;
  s.element("quick", {}, {.track = true, .ref = false}).element("slow", {}, {.track = true, .ref = false});
  s.element("app", {"quick"}, {.track = true, .ref = false});
  s.job("slow/track").takes(10s);
  ASSERT_TRUE(s.run({"track", "fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start quick/track\n"
            "0s start slow/track\n"
            "0s start app/track\n"
            "1s end quick/track succeeded\n"
            "1s end app/track succeeded\n"
            "1s start quick/fetch\n"
            "1s start app/fetch\n"
            "2s end quick/fetch succeeded\n"
            "2s end app/fetch succeeded\n"
            "2s start quick/build\n"
            "3s end quick/build succeeded\n"
            "3s start app/build\n"
            "4s end app/build succeeded\n"
            "10s end slow/track succeeded\n"
            "10s start slow/fetch\n"
            "11s end slow/fetch succeeded\n"
            "11s start slow/build\n"
            "12s end slow/build succeeded\n");
}

// Its key holds the keys of its dependencies, and theirs: pull has to wait for all of them, and for nothing
// else.
TEST(Order, pull_waits_until_the_keys_of_all_dependencies_are_known) {
  Scenario s;
  s.element("base", {}, {.track = true, .ref = false, .can_pull = true});
  s.element("lib", {"base"}, {.can_pull = true});
  s.element("app", {"lib"}, {.can_pull = true});
  s.job("base/track").takes(5s);
  s.want({"app"});
  ASSERT_TRUE(s.run({"track", "pull", "fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start base/track\n"
            "5s end base/track succeeded\n"
            "5s start app/pull\n"
            "6s end app/pull succeeded\n");
  EXPECT_EQ(s.final_phases(), "base=unneeded lib=unneeded app=finished");
}

TEST(Order, a_pulled_artifact_needs_neither_sources_nor_dependencies) {
  Scenario s;
  s.element("lib", {}, {.can_pull = true}).element("app", {"lib"}, {.can_pull = true});
  s.want({"app"});
  ASSERT_TRUE(s.run({"pull", "fetch", "build", "push"}));
  EXPECT_EQ(s.schedule(), "0s start app/pull\n1s end app/pull succeeded\n");
  EXPECT_EQ(s.summary().counts.pulled, 1u);
  EXPECT_EQ(s.summary().counts.built, 0u);
}

TEST(Order, a_failed_pull_is_no_failure_and_calls_the_dependencies_in) {
  Scenario s;
  s.retry = {};
  s.element("lib", {}, {.cached = true}).element("app", {"lib"}, {.can_pull = true});
  s.job("app/pull").fails(Failure::network);
  s.want({"app"});
  ASSERT_TRUE(s.run({"pull", "fetch", "build", "push"}));
  EXPECT_EQ(s.schedule(),
            "0s start app/pull\n"
            "1s end app/pull failed network\n"
            "1s start app/fetch\n"
            "2s end app/fetch succeeded\n"
            "2s start app/build\n"
            "3s end app/build succeeded\n");
  EXPECT_EQ(s.summary().exit, 0);
  EXPECT_EQ(s.final_phases(), "lib=finished app=finished");
}

// A build needs what its dependencies need at run time, also where the dependency itself was cached.
TEST(Order, a_build_waits_for_the_runtime_dependencies_of_what_it_builds_on) {
  Scenario s;
  s.element("data", {}, {.present = true});
  s.element("lib", {}, {.cached = true}, {"data"});
  s.element("app", {"lib"}, {.present = true});
  s.job("data/build").takes(7s);
  s.want({"app"});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start data/build\n"
            "7s end data/build succeeded\n"
            "7s start app/build\n"
            "8s end app/build succeeded\n");
}

// A name for others is cached for ever; what it stands for is made at the same time all the same.
TEST(Order, the_runtime_dependencies_of_a_cached_element_are_built_at_once) {
  Scenario s;
  s.element("a", {}, {.present = true}).element("b", {}, {.present = true});
  s.element("all", {}, {.cached = true}, {"a", "b"});
  s.want({"all"});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s start b/build\n"
            "1s end a/build succeeded\n"
            "1s end b/build succeeded\n");
}

TEST(Order, a_run_with_everything_cached_starts_nothing) {
  Scenario s;
  s.element("lib", {}, {.cached = true}).element("app", {"lib"}, {.cached = true});
  ASSERT_TRUE(s.run({"pull", "fetch", "build", "push"}));
  EXPECT_EQ(s.schedule(), "");
  EXPECT_EQ(s.summary().counts.cached, 2u);
}

}  // namespace
}  // namespace weir::test
