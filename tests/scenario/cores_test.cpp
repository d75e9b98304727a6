// Jobs that may have more cores than they need: they grow into what is idle and give back what others lack.
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

struct Elastic : Scenario {
  Elastic& elastic(const std::string& name, std::uint32_t most, Duration takes,
                   std::vector<std::string> depends = {}) {
    element(name, std::move(depends), kSources);
    world.most_cores[name + "/build"] = most;
    job(name + "/build").takes(takes);
    return *this;
  }
  Elastic& plain(const std::string& name, Duration takes, std::vector<std::string> depends = {}) {
    element(name, std::move(depends), kSources);
    job(name + "/build").takes(takes);
    return *this;
  }
};

TEST(Cores, a_job_alone_grows_into_all_that_is_idle_up_to_its_most) {
  Elastic s;
  s.tokens("process", 8);
  s.elastic("a", 4, 3s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s cores a/build 4\n"
            "3s end a/build succeeded\n");
}

TEST(Cores, idle_cores_are_shared_evenly) {
  Elastic s;
  s.tokens("process", 6);
  s.elastic("a", 6, 3s).elastic("b", 6, 3s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s start b/build\n"
            "0s cores a/build 3\n"
            "0s cores b/build 3\n"
            "3s end a/build succeeded\n"
            "3s end b/build succeeded\n");
}

// The one that is left gets what the other had; nothing is ready that could use it.
TEST(Cores, what_an_ended_job_leaves_goes_to_those_that_run) {
  Elastic s;
  s.elastic("a", 2, 1s).elastic("b", 2, 3s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s start b/build\n"
            "1s end a/build succeeded\n"
            "1s cores b/build 2\n"
            "3s end b/build succeeded\n");
}

TEST(Cores, nobody_grows_while_something_ready_can_use_the_core) {
  Elastic s;
  s.elastic("a", 2, 2s);
  for (const auto* name : {"p", "q", "r"}) s.plain(name, 1s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s start p/build\n"
            "1s end p/build succeeded\n"
            "1s start q/build\n"
            "2s end a/build succeeded\n"
            "2s end q/build succeeded\n"
            "2s start r/build\n"
            "3s end r/build succeeded\n");
}

// What a job does not use comes back at once; then whoever lacks it starts in the same moment.
TEST(Cores, unused_cores_come_back_as_soon_as_something_is_ready) {
  Elastic s;
  s.tokens("process", 3);
  s.plain("first", 1s).elastic("a", 3, 5s).plain("p", 1s, {"first"}).plain("q", 1s, {"first"});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start first/build\n"
            "0s start a/build\n"
            "0s cores a/build 2\n"
            "1s end first/build succeeded\n"
            "1s start p/build\n"
            "1s cores a/build 1\n"
            "1s start q/build\n"
            "2s end p/build succeeded\n"
            "2s end q/build succeeded\n"
            "2s cores a/build 3\n"
            "5s end a/build succeeded\n");
}

// Cores in use stay reserved until they are back: the one that waits starts then, and no moment earlier.
TEST(Cores, cores_in_use_are_waited_for) {
  Elastic s;
  s.tokens("process", 3);
  s.plain("first", 1s).elastic("a", 3, 9s);
  s.plain("p", 4s, {"first"}).plain("q", 4s, {"first"});
  s.job("a/build").keeps_cores(2s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start first/build\n"
            "0s start a/build\n"
            "0s cores a/build 2\n"
            "1s end first/build succeeded\n"
            "1s start p/build\n"
            "3s cores a/build 1\n"
            "3s start q/build\n"
            "5s end p/build succeeded\n"
            "5s cores a/build 2\n"
            "7s end q/build succeeded\n"
            "7s cores a/build 3\n"
            "9s end a/build succeeded\n");
}

TEST(Cores, the_one_with_most_gives_first) {
  Elastic s;
  s.tokens("process", 6);
  s.plain("first", 1s).elastic("a", 2, 4s).elastic("b", 4, 4s);
  for (const auto* name : {"p", "q"}) s.plain(name, 1s, {"first"});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start first/build\n"
            "0s start a/build\n"
            "0s start b/build\n"
            "0s cores a/build 2\n"
            "0s cores b/build 3\n"
            "1s end first/build succeeded\n"
            "1s start p/build\n"
            "1s cores b/build 2\n"
            "1s start q/build\n"
            "2s end p/build succeeded\n"
            "2s end q/build succeeded\n"
            "2s cores b/build 4\n"
            "4s end a/build succeeded\n"
            "4s end b/build succeeded\n");
}

TEST(Cores, a_suspended_job_gives_back_what_it_grew_and_may_have_it_again) {
  Elastic s;
  s.tokens("process", 3);
  s.elastic("a", 3, 4s).elastic("b", 3, 10s);
  s.at(1s, input::SuspendJob{JobId{0}}).at(3s, input::ResumeJob{JobId{0}});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s start b/build\n"
            "0s cores a/build 2\n"
            "1s suspend a/build\n"
            "1s cores a/build 1\n"
            "1s cores b/build 2\n"
            "3s resume a/build\n"
            "6s end a/build succeeded\n"
            "6s cores b/build 3\n"
            "10s end b/build succeeded\n");
}

TEST(Cores, fewer_tokens_than_are_in_use_are_taken_from_who_grew) {
  Elastic s;
  s.tokens("process", 4);
  s.elastic("a", 4, 5s).at(1s, input::SetTokens{"process", 2}).at(2s, input::SetTokens{"process", 4});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s cores a/build 4\n"
            "1s cores a/build 2\n"
            "2s cores a/build 4\n"
            "5s end a/build succeeded\n");
}

TEST(Cores, a_lost_or_cancelled_job_loses_no_core) {
  Elastic s;
  s.tokens("process", 4);
  s.elastic("a", 4, 100s).plain("b", 1s);
  s.job("a/build").keeps_cores(50s).dies_after(1s);
  s.at(2s, input::CancelJob{JobId{0}});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_TRUE(s.ledger.idle());
  Elastic t;
  t.tokens("process", 4);
  t.elastic("a", 4, 5s);
  t.faults = BadExecutor::Faults{1, 0, 0, {}, 1, 1};
  t.options.lost_after = 10s;
  ASSERT_TRUE(t.run({"build"}));
  EXPECT_TRUE(t.ledger.idle());
}

// Lends what the test says, when it says so.
class FakeLender final : public CoreLender {
 public:
  std::int64_t cores() const override { return 1 + held; }
  void want(std::int64_t cores) override {
    wanted = cores;
    most_wanted = std::max(most_wanted, cores);
    held = std::min(held, std::max<std::int64_t>(0, cores - 1));
  }
  void lend(Scheduler& scheduler) {
    if (cores() >= wanted) return;
    ++held;
    scheduler.door().post(input::Wake{});
  }
  std::int64_t held = 0, wanted = 1, most_wanted = 0;
};

TEST(Cores, under_an_outer_make_one_job_is_free_and_each_more_needs_a_token_of_it) {
  Elastic s;
  FakeLender lender;
  s.lender = &lender;
  s.tokens("process", 3);
  for (const auto* name : {"p", "q", "r", "s"}) s.plain(name, 4s);
  s.after(1s, [&](Scheduler& scheduler) { lender.lend(scheduler); });
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start p/build\n"
            "1s start q/build\n"
            "4s end p/build succeeded\n"
            "4s start r/build\n"
            "5s end q/build succeeded\n"
            "5s start s/build\n"
            "8s end r/build succeeded\n"
            "9s end s/build succeeded\n");
  EXPECT_EQ(lender.most_wanted, 3) << "never more than the run may use";
  EXPECT_EQ(lender.held, 0) << "given back when there was nothing left for it to do";
}

TEST(Cores, a_borrowed_core_makes_a_job_grow) {
  Elastic s;
  FakeLender lender;
  s.lender = &lender;
  s.tokens("process", 3);
  s.elastic("a", 3, 4s);
  s.after(1s, [&](Scheduler& scheduler) { lender.lend(scheduler); });
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "1s cores a/build 2\n"
            "4s end a/build succeeded\n");
  EXPECT_EQ(lender.held, 0);
}

// Two that wait for each other's tokens would wait for ever.
TEST(Cores, a_job_that_needs_several_cores_runs_alone_rather_than_never) {
  Elastic s;
  FakeLender lender;
  s.lender = &lender;
  s.tokens("process", 4);
  s.plain("big", 2s).needs("big", {{"process", 3}});
  s.plain("p", 1s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start big/build\n"
            "2s end big/build succeeded\n"
            "2s start p/build\n"
            "3s end p/build succeeded\n");
}

}  // namespace
}  // namespace weir::test
