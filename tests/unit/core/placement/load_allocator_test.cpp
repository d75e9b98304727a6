#include "core/placement/load_allocator.h"

#include <set>

#include "core/base/random.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

Decimal decimal(const char* text) { return *Decimal::parse(text); }

std::unique_ptr<LoadAllocator> make(std::vector<LoadClass> classes) {
  LoadSettings settings;
  settings.classes = std::move(classes);
  return std::move(*LoadAllocator::make(std::move(settings)));
}

std::unique_ptr<LoadAllocator> ci_and_dev() { return make({{"ci", Decimal(70)}, {"dev", Decimal(30)}}); }

constexpr ClassId kCi{0}, kDev{1};

TEST(LoadAllocator, builds_of_a_class_take_turns_by_fewest_running_then_by_id) {
  auto allocator = make({{"ci", Decimal(1)}});
  allocator->set_workers(10, 10);
  for (int i = 0; i < 4; ++i) allocator->job_waiting(ClassId{0}, BuildId{2});
  allocator->job_started(ClassId{0}, BuildId{2});
  for (int i = 0; i < 2; ++i) allocator->job_waiting(ClassId{0}, BuildId{7});
  allocator->job_waiting(ClassId{0}, BuildId{1});
  std::vector<std::uint32_t> order;
  while (const auto next = allocator->next()) {
    order.push_back(index(next->build));
    allocator->job_started(next->work_class, next->build);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 7, 2, 7, 2, 2}));
}

TEST(LoadAllocator, next_is_the_same_until_something_changes) {
  auto allocator = ci_and_dev();
  allocator->set_workers(3, 3);
  for (int i = 0; i < 9; ++i) {
    allocator->job_waiting(kCi, BuildId{0});
    allocator->job_waiting(kDev, BuildId{1});
  }
  const auto first = allocator->next();
  EXPECT_EQ(allocator->next(), first);
  EXPECT_EQ(allocator->idle(), 3);
}

// Ten workers, all with jobs of dev; only a spread of more than 80 % is too wide.
auto all_workers_at_dev() {
  auto allocator = ci_and_dev();
  EXPECT_TRUE(allocator->set_threshold(Decimal(80)));
  allocator->set_workers(10, 10);
  for (int i = 0; i < 10; ++i) {
    allocator->job_waiting(kDev, BuildId{1});
    allocator->job_started(kDev, BuildId{1});
  }
  return allocator;
}

TEST(LoadAllocator, rebalances_after_the_spread_was_too_wide_for_long_enough) {
  auto allocator = all_workers_at_dev();
  Time now{};
  EXPECT_TRUE(allocator->to_stop(now).empty());
  EXPECT_EQ(allocator->next_check(), std::nullopt);
  for (int i = 0; i < 20; ++i) allocator->job_waiting(kCi, BuildId{0});
  EXPECT_TRUE(allocator->to_stop(now).empty());
  EXPECT_EQ(allocator->next_check(), now + 60s);
  EXPECT_TRUE(allocator->to_stop(now + 59s).empty());
  const auto stops = allocator->to_stop(now + 60s);
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(stops[0].work_class, kDev);
  EXPECT_EQ(stops[0].jobs, 7);
  // Before they have ended: neither stopped twice nor started.
  EXPECT_TRUE(allocator->to_stop(now + 61s).empty());
  EXPECT_TRUE(allocator->to_stop(now + 121s).empty());
  EXPECT_FALSE(allocator->next());
  for (int i = 0; i < 7; ++i) allocator->job_requeued(kDev, BuildId{1});
  int started = 0;
  while (const auto next = allocator->next()) {
    EXPECT_EQ(next->work_class, kCi);
    allocator->job_started(next->work_class, next->build);
    ++started;
  }
  EXPECT_EQ(started, 7);
}

TEST(LoadAllocator, the_timer_restarts_when_the_spread_was_fine_for_a_moment) {
  auto allocator = all_workers_at_dev();
  allocator->job_waiting(kCi, BuildId{0});
  EXPECT_TRUE(allocator->to_stop(Time(0s)).empty());
  allocator->job_withdrawn(kCi, BuildId{0});
  EXPECT_TRUE(allocator->to_stop(Time(30s)).empty());
  allocator->job_waiting(kCi, BuildId{0});
  EXPECT_TRUE(allocator->to_stop(Time(61s)).empty());
  EXPECT_FALSE(allocator->to_stop(Time(121s)).empty());
}

TEST(LoadAllocator, bad_settings_change_nothing_and_say_why) {
  auto allocator = ci_and_dev();
  const auto before = allocator->loads();
  EXPECT_FALSE(allocator->set_loads({{"ci", Decimal(1)}, {"dev", decimal("-1")}}));
  EXPECT_FALSE(allocator->set_loads({{"ci", Decimal(1)}, {"nobody", Decimal(1)}}));
  EXPECT_FALSE(allocator->set_loads({}));
  EXPECT_FALSE(allocator->set_loads({{"ci", Decimal(1)}, {"ci", Decimal(2)}}));
  EXPECT_EQ(allocator->loads(), before);
  EXPECT_FALSE(allocator->set_threshold(decimal("-0.1")));
  EXPECT_EQ(allocator->threshold(), Decimal(50));
  EXPECT_FALSE(allocator->set_min_duration(-1s));
  EXPECT_EQ(allocator->min_duration(), 60s);
  ASSERT_TRUE(allocator->set_requestors({{"ci", "bot-.*"}}));
  EXPECT_FALSE(allocator->set_requestors({}));
  EXPECT_FALSE(allocator->set_requestors({{"ci", "a"}, {"dev", "("}}));
  EXPECT_FALSE(allocator->set_requestors({{"nobody", "a"}}));
  EXPECT_EQ(allocator->requestors().size(), 1u);
}

TEST(LoadAllocator, loads_change_while_jobs_run) {
  auto allocator = ci_and_dev();
  allocator->set_workers(10, 10);
  EXPECT_EQ(allocator->target(), (std::vector<std::int64_t>{7, 3}));
  ASSERT_TRUE(allocator->set_loads({{"dev", Decimal(70)}}));
  EXPECT_EQ(allocator->target(), (std::vector<std::int64_t>{5, 5}));
}

TEST(LoadAllocator, a_class_without_classes_or_with_two_of_a_name_is_refused) {
  EXPECT_FALSE(LoadAllocator::make({}));
  EXPECT_FALSE(LoadAllocator::make({{{"a", Decimal(1)}, {"a", Decimal(1)}}}));
}

TEST(RequestorMap, the_first_rule_that_matches_the_whole_name_wins) {
  auto allocator =
      make({{"ci", Decimal(70)}, {"dev", Decimal(20)}, {"rest", Decimal(10)}, {"other", Decimal(10)}});
  ASSERT_TRUE(allocator->set_requestors({{"ci", "bot-[a-z]+"}, {"dev", "bot-.*"}, {"dev", "ann|bob"}}));
  EXPECT_EQ(allocator->class_of("bot-nightly"), ClassId{0});
  EXPECT_EQ(allocator->class_of("bot-7"), ClassId{1});
  EXPECT_EQ(allocator->class_of("bob"), ClassId{1});
  EXPECT_EQ(allocator->class_of("bobby"), ClassId{2});
  EXPECT_EQ(allocator->class_of(""), ClassId{2});
}

TEST(RequestorMap, an_expression_that_ruins_others_takes_no_time) {
  auto allocator = make({{"ci", Decimal(70)}, {"dev", Decimal(20)}});
  ASSERT_TRUE(allocator->set_requestors({{"ci", "(a+)+b"}}));
  EXPECT_EQ(allocator->class_of(std::string(100'000, 'a')), ClassId{1});
}

// Jobs come, start, end and are stopped at random: sums hold, and nobody with a load waits for ever.
TEST(LoadAllocator, random_days_keep_the_sums_and_starve_nobody) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    auto allocator =
        make({{"a", Decimal(60)}, {"b", decimal("0.5")}, {"c", Decimal(39)}, {"d", decimal("0.5")}});
    const std::int64_t workers = 8;
    allocator->set_workers(workers, workers);
    std::int64_t running[4] = {}, waiting[4] = {}, started[4] = {};
    for (int step = 0; step < 2'000; ++step) {
      const auto c = static_cast<std::uint32_t>(random.below(4));
      if (random.chance(0.5)) {
        allocator->job_waiting(ClassId{c}, BuildId{c});
        ++waiting[c];
      } else if (running[c] > 0) {
        allocator->job_ended(ClassId{c}, BuildId{c});
        --running[c];
      }
      while (const auto next = allocator->next()) {
        const auto n = index(next->work_class);
        ASSERT_GT(waiting[n], 0) << "seed " << seed;
        allocator->job_started(next->work_class, next->build);
        ++running[n];
        --waiting[n];
        ++started[n];
      }
      const auto all = running[0] + running[1] + running[2] + running[3];
      ASSERT_EQ(allocator->idle(), workers - all) << "seed " << seed;
      ASSERT_TRUE(all == workers || waiting[0] + waiting[1] + waiting[2] + waiting[3] == 0)
          << "seed " << seed;
    }
    for (const auto count : started) EXPECT_GT(count, 20) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir
