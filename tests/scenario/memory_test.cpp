// Memory in a run: tokens of it, the brake on pressure, and what becomes of a job that was killed for want of
// it.
#include "core/placement/local_placer.h"
#include "core/placement/none_allocator.h"
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

// Says what the machine is like at each moment of a run, and counts how often it is asked.
class PressureOverTime final : public PressureSource {
 public:
  PressureOverTime(const VirtualClock& clock, std::vector<std::pair<Duration, double>> stalled)
      : clock_(clock), start_(clock.now()), stalled_(std::move(stalled)) {}
  MemoryPressure read() override {
    ++reads;
    MemoryPressure pressure{0.0, 0};
    for (const auto& [since, percent] : stalled_)
      if (clock_.now() - start_ >= since) pressure.stalled = percent;
    return pressure;
  }
  int reads = 0;

 private:
  const VirtualClock& clock_;
  Time start_;
  std::vector<std::pair<Duration, double>> stalled_;
};

TEST(Memory, two_jobs_that_need_more_than_half_never_run_together) {
  Scenario s;
  s.tokens("process", 4).tokens("memory", 1000);
  for (const auto* name : {"big1", "big2", "big3"})
    s.element(name, {}, kSources).needs(name, {{"process", 1}, {"memory", 600}});
  s.element("small", {}, kSources).needs("small", {{"process", 1}, {"memory", 300}});
  s.job("small/build").takes(5s);
  s.text.with_waits = true;
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start big1/build\n"
            "0s wait big2/build for memory memory\n"
            "0s start small/build\n"
            "1s end big1/build succeeded\n"
            "1s start big2/build\n"
            "1s wait big3/build for memory memory\n"
            "2s end big2/build succeeded\n"
            "2s start big3/build\n"
            "3s end big3/build succeeded\n"
            "5s end small/build succeeded\n");
}

TEST(Memory, under_pressure_nothing_starts_until_it_is_well_below) {
  Scenario s;
  s.tokens("process", 2);
  for (const auto* name : {"a", "b", "c", "d"}) s.element(name, {}, kSources);
  s.job("a/build").takes(2s);
  s.job("b/build").takes(10s);
  // Between 5 and 10 percent the brake stays as it is.
  PressureOverTime pressure(s.clock, {{1s, 8}, {2s, 11}, {3s, 8}, {4s, 6}, {5s, 4}});
  s.pressure = &pressure;
  s.text.with_waits = true;
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s start b/build\n"
            "0s wait c/build for token process\n"
            "2s end a/build succeeded\n"
            "2s wait c/build for memory pressure\n"
            "5s start c/build\n"
            "5s wait d/build for token process\n"
            "6s end c/build succeeded\n"
            "6s start d/build\n"
            "7s end d/build succeeded\n"
            "10s end b/build succeeded\n");
}

TEST(Memory, the_only_job_is_never_held_back) {
  Scenario s;
  s.tokens("process", 4);
  for (const auto* name : {"a", "b", "c"}) s.element(name, {}, kSources);
  PressureOverTime pressure(s.clock, {{0s, 90}});
  s.pressure = &pressure;
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "1s end a/build succeeded\n"
            "1s start b/build\n"
            "2s end b/build succeeded\n"
            "2s start c/build\n"
            "3s end c/build succeeded\n");
}

TEST(Memory, what_only_moves_files_is_not_held_back) {
  Scenario s;
  s.tokens("process", 2);
  s.element("a", {}, kSources).element("b").element("c");
  s.job("a/build").takes(3s);
  PressureOverTime pressure(s.clock, {{0s, 90}});
  s.pressure = &pressure;
  ASSERT_TRUE(s.run({"fetch", "build"}));
  EXPECT_EQ(s.schedule(),
            "0s start b/fetch\n"
            "0s start c/fetch\n"
            "0s start a/build\n"
            "1s end b/fetch succeeded\n"
            "1s end c/fetch succeeded\n"
            "3s end a/build succeeded\n"
            "3s start b/build\n"
            "4s end b/build succeeded\n"
            "4s start c/build\n"
            "5s end c/build succeeded\n");
}

TEST(Memory, nobody_is_asked_while_there_is_nothing_to_decide) {
  Scenario s;
  s.tokens("process", 2);
  for (const auto* name : {"a", "b", "c"}) s.element(name, {}, kSources);
  s.job("a/build").takes(100s);
  s.job("b/build").takes(200s);
  PressureOverTime pressure(s.clock, {});
  s.pressure = &pressure;
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(pressure.reads, 2);  // when b starts beside a, and when c starts beside b
}

TEST(Memory, the_brake_holds_jobs_that_are_placed_too) {
  Scenario s;
  s.tokens("process", 2)
      .placed(std::make_unique<NoneAllocator>(), std::make_unique<LocalPlacer>(), {{"local", 2}});
  for (const auto* name : {"a", "b", "c"}) s.element(name, {}, kSources);
  s.job("a/build").takes(5s);
  PressureOverTime pressure(s.clock, {{0s, 50}, {2s, 0}});
  s.pressure = &pressure;
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "2s start b/build\n"
            "3s end b/build succeeded\n"
            "3s start c/build\n"
            "4s end c/build succeeded\n"
            "5s end a/build succeeded\n");
}

TEST(Memory, a_job_that_was_killed_for_want_of_it_runs_again_alone) {
  Scenario s;
  s.tokens("process", 2).tokens("memory", 1000);
  s.retry.backoff = {0s, 0s};
  s.element("big", {}, kSources).needs("big", {{"process", 1}, {"memory", 100}});
  for (const auto* name : {"a", "b", "c"})
    s.element(name, {}, kSources).needs(name, {{"process", 1}, {"memory", 100}});
  s.job("big/build").fails(Failure::oom).then().takes(2s);
  s.job("a/build").takes(3s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start big/build\n"
            "0s start a/build\n"
            "1s end big/build failed oom\n"
            "3s end a/build succeeded\n"
            "3s start big/build attempt 2\n"
            "5s end big/build succeeded\n"
            "5s start b/build\n"
            "5s start c/build\n"
            "6s end b/build succeeded\n"
            "6s end c/build succeeded\n");
}

TEST(Memory, two_that_were_killed_do_not_meet_again) {
  Scenario s;
  s.tokens("process", 2).tokens("memory", 1000);
  s.retry.backoff = {0s, 0s};
  for (const auto* name : {"one", "two"}) {
    s.element(name, {}, kSources);
    s.job(std::string(name) + "/build").fails(Failure::oom).then();
  }
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start one/build\n"
            "0s start two/build\n"
            "1s end one/build failed oom\n"
            "1s end two/build failed oom\n"
            "1s start one/build attempt 2\n"
            "2s end one/build succeeded\n"
            "2s start two/build attempt 2\n"
            "3s end two/build succeeded\n");
}

TEST(Memory, once_alone_and_no_more) {
  Scenario s;
  s.retry.backoff = {0s, 0s};
  s.element("big", {}, kSources);
  s.job("big/build").fails(Failure::oom);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start big/build\n"
            "1s end big/build failed oom\n"
            "1s start big/build attempt 2\n"
            "2s end big/build failed oom\n");
  EXPECT_EQ(s.summary().exit, 5);
}

// Of four that nobody knows anything of one is killed: from then on two run at once, until eight good ends
// for each allow more.
TEST(Memory, after_a_kill_fewer_of_those_that_nobody_knows_run_together) {
  Scenario s;
  s.tokens("process", 4).tokens("memory", 1000);
  s.retry.backoff = {0s, 0s};
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g"}) s.element(name, {}, kSources);
  s.element("known", {}, kSources).needs("known", {{"process", 1}, {"memory", 10}});
  s.job("a/build").fails(Failure::oom).then();
  for (const auto* name : {"b", "c", "d"}) s.job(std::string(name) + "/build").takes(2s);
  s.text.with_waits = true;
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n"
            "0s start b/build\n"
            "0s start c/build\n"
            "0s start d/build\n"
            "0s wait e/build for token process\n"
            "0s wait known/build for token process\n"
            "1s end a/build failed oom\n"
            "1s wait a/build for token process\n"
            "2s end b/build succeeded\n"
            "2s end c/build succeeded\n"
            "2s end d/build succeeded\n"
            "2s start a/build attempt 2\n"
            "3s end a/build succeeded\n"
            "3s start e/build\n"
            "3s start f/build\n"
            "3s wait g/build for memory caution\n"
            "3s start known/build\n"
            "4s end e/build succeeded\n"
            "4s end f/build succeeded\n"
            "4s end known/build succeeded\n"
            "4s start g/build\n"
            "5s end g/build succeeded\n");
}

TEST(OomCaution, halves_after_a_kill_and_adds_one_after_a_row_of_good_ends) {
  OomCaution caution;
  EXPECT_TRUE(caution.allows(1000));
  caution.ended_well();
  caution.killed(9);
  EXPECT_TRUE(caution.allows(3));
  EXPECT_FALSE(caution.allows(4));
  for (int i = 0; i < 4 * 8 - 1; ++i) caution.ended_well();
  EXPECT_FALSE(caution.allows(4));
  caution.ended_well();
  EXPECT_TRUE(caution.allows(4));
  for (int i = 0; i < 5; ++i) caution.killed(1);
  EXPECT_TRUE(caution.allows(0)) << "one always runs";
}

}  // namespace
}  // namespace weir::test
