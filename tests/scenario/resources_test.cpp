// Tokens and lanes in a run.
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

TEST(Resources, an_exclusive_request_is_not_starved_by_a_stream_of_shared_ones) {
  Scenario s;
  s.tokens("process", 4);
  // Eight jobs of one and two seconds keep some cache token in use at any time; "gc" wants it alone.
  for (int i = 0; i < 8; ++i) {
    const auto name = fmt::format("s{}", i);
    s.element(name, {}, kSources).needs(name, {{"process", 1}, {"cache", 1}});
    s.job(name + "/build").takes(i % 2 ? 2s : 1s);
  }
  s.element("gc", {}, kSources).needs("gc", {{"cache", 1, true}});
  s.element("after", {"gc"}, kSources);
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start gc/build\n"
            "1s end gc/build succeeded\n"
            "1s start s0/build\n"
            "1s start s1/build\n"
            "1s start s2/build\n"
            "1s start s3/build\n"
            "2s end s0/build succeeded\n"
            "2s end s2/build succeeded\n"
            "2s start s4/build\n"
            "2s start s5/build\n"
            "3s end s1/build succeeded\n"
            "3s end s3/build succeeded\n"
            "3s end s4/build succeeded\n"
            "3s start s6/build\n"
            "3s start s7/build\n"
            "3s start after/build\n"
            "4s end s5/build succeeded\n"
            "4s end s6/build succeeded\n"
            "4s end after/build succeeded\n"
            "5s end s7/build succeeded\n");
}

// The exclusive one comes late and has the lowest priority of all: from its first refusal on nobody overtakes
// it.
TEST(Resources, a_late_exclusive_request_overtakes_nobody_and_is_overtaken_by_nobody) {
  Scenario s;
  s.tokens("process", 2);
  s.element("first", {}, kSources);
  s.element("gc", {"first"}, kSources).needs("gc", {{"cache", 1, true}});
  for (int i = 0; i < 6; ++i) {
    const auto name = fmt::format("s{}", i);
    s.element(name, {}, kSources).needs(name, {{"process", 1}, {"cache", 1}});
    s.job(name + "/build").takes(i % 2 ? 2s : 3s);
  }
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start first/build\n"
            "0s start s0/build\n"
            "1s end first/build succeeded\n"
            "3s end s0/build succeeded\n"
            "3s start gc/build\n"
            "4s end gc/build succeeded\n"
            "4s start s1/build\n"
            "4s start s2/build\n"
            "6s end s1/build succeeded\n"
            "6s start s3/build\n"
            "7s end s2/build succeeded\n"
            "7s start s4/build\n"
            "8s end s3/build succeeded\n"
            "8s start s5/build\n"
            "10s end s4/build succeeded\n"
            "10s end s5/build succeeded\n");
}

// One job wants all four cores while single ones keep coming: it may be overtaken, but only so often.
TEST(Resources, a_big_request_is_overtaken_only_so_often) {
  Scenario s;
  s.tokens("process", 4);
  s.element("seed", {}, kSources);
  s.element("big", {"seed"}, kSources).needs("big", {{"process", 4}});
  for (int i = 0; i < 100; ++i) {
    s.element(fmt::format("s{:02}", i), {}, kSources);
    s.job(fmt::format("s{:02}/build", i)).takes(std::chrono::milliseconds(1000 + 7 * i));
  }
  ASSERT_TRUE(s.run({"fetch", "build"}));
  const auto schedule = s.schedule();
  const auto before_big = schedule.substr(0, schedule.find("start big/build"));
  std::size_t overtook = 0;
  for (auto at = before_big.find("start s"); at != std::string::npos; at = before_big.find("start s", at + 1))
    ++overtook;
  EXPECT_GT(overtook, ReadyJobs::kPatience / 2);
  EXPECT_LE(overtook, ReadyJobs::kPatience + 4);
}

TEST(Resources, a_vector_request_is_all_or_nothing) {
  Scenario s;
  s.tokens("process", 2).tokens("license", 1);
  s.element("a", {}, kSources).needs("a", {{"process", 1}, {"license", 1}});
  s.element("b", {}, kSources).needs("b", {{"process", 1}, {"license", 1}});
  s.element("c", {}, kSources);
  s.text.with_waits = true;
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s wait b/build for token license\n"
            "0s start c/build\n"
            "1s end a/build succeeded\n"
            "1s end c/build succeeded\n"
            "1s start b/build\n"
            "2s end b/build succeeded\n");
}

TEST(Resources, token_counts_change_while_the_run_goes_on) {
  Scenario s;
  s.tokens("process", 1);
  for (const auto* name : {"a", "b", "c", "d", "e"}) s.element(name, {}, kSources);
  for (const auto* name : {"a", "b", "c", "d", "e"}) s.job(fmt::format("{}/build", name)).takes(2s);
  s.at(1s, input::SetTokens{"process", 3})
      .at(3s, input::SetTokens{"process", 0})
      .at(10s, input::SetTokens{"process", 1});
  s.at(10s, input::SetTokens{"no-such", 1}).at(10s, input::SetTokens{"process", -1});
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "1s start b/build\n"
            "1s start c/build\n"
            "2s end a/build succeeded\n"
            "2s start d/build\n"
            "3s end b/build succeeded\n"
            "3s end c/build succeeded\n"
            "4s end d/build succeeded\n"
            "10s start e/build\n"
            "12s end e/build succeeded\n");
}

TEST(Resources, a_lane_keeps_order_groups_and_readers_apart_from_writers) {
  Scenario s;
  s.tokens("process", 8);
  for (const auto* name : {"r1", "r2", "same", "w", "r3", "free"}) s.element(name, {}, kSources);
  s.in_lane("r1", "mirror", "g1", Access::read).in_lane("r2", "mirror", "g2", Access::read);
  s.in_lane("same", "mirror", "g1", Access::read).in_lane("w", "mirror", "g3", Access::write);
  s.in_lane("r3", "mirror", "g4", Access::read);
  s.job("r1/build").takes(3s);
  s.text.with_waits = true;
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s wait r2/build for lane mirror\n"
            "0s wait same/build for lane mirror\n"
            "0s wait w/build for lane mirror\n"
            "0s wait r3/build for lane mirror\n"
            "0s start free/build\n"
            "0s start r1/build\n"
            "0s start r2/build\n"
            "1s end free/build succeeded\n"
            "1s end r2/build succeeded\n"
            "3s end r1/build succeeded\n"
            "3s start same/build\n"
            "4s end same/build succeeded\n"
            "4s start w/build\n"
            "5s end w/build succeeded\n"
            "5s start r3/build\n"
            "6s end r3/build succeeded\n");
}

// Lanes and tokens are taken together: while "a" waits for a core it holds nothing back but its own line.
TEST(Resources, lanes_are_taken_together_with_tokens) {
  Scenario s;
  s.tokens("process", 1);
  s.element("busy", {}, kSources).element("next", {"busy"}, kSources);  // longest path: goes first
  s.element("a", {}, kSources).element("b", {}, kSources);
  s.in_lane("a", "x", "", Access::write)
      .in_lane("b", "x", "", Access::write)
      .in_lane("b", "y", "", Access::write);
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start busy/build\n"
            "1s end busy/build succeeded\n"
            "1s start next/build\n"
            "2s end next/build succeeded\n"
            "2s start a/build\n"
            "3s end a/build succeeded\n"
            "3s start b/build\n"
            "4s end b/build succeeded\n");
}

}  // namespace
}  // namespace weir::test
