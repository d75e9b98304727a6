#include "core/base/timer_queue.h"

#include <map>

#include "core/base/random.h"

namespace weir {
namespace {

Time at(int seconds) { return Time(std::chrono::seconds(seconds)); }

TEST(TimerQueue, fires_in_order_of_deadline_then_of_setting) {
  TimerQueue timers;
  timers.set(at(3), 30);
  timers.set(at(1), 10);
  timers.set(at(3), 31);
  EXPECT_EQ(timers.next(), at(1));
  EXPECT_EQ(timers.pop_due(at(0)), std::nullopt);
  EXPECT_EQ(timers.pop_due(at(5)), 10u);
  EXPECT_EQ(timers.pop_due(at(5)), 30u);
  EXPECT_EQ(timers.pop_due(at(5)), 31u);
  EXPECT_EQ(timers.next(), std::nullopt);
}

TEST(TimerQueue, an_old_name_does_not_cancel_a_timer_that_reuses_its_slot) {
  TimerQueue timers;
  const auto old = timers.set(at(1), 1);
  timers.pop_due(at(1));
  timers.set(at(2), 2);
  EXPECT_FALSE(timers.cancel(old));
  EXPECT_FALSE(timers.cancel(TimerQueue::Id::none));
  EXPECT_EQ(timers.size(), 1u);
}

// Against a sorted map, with cancels in between.
TEST(TimerQueue, behaves_as_a_sorted_map) {
  Random random(5);
  TimerQueue timers;
  std::map<std::pair<int, std::uint64_t>, TimerQueue::Id> model;
  std::uint64_t next = 0;
  for (int round = 0; round < 50'000; ++round) {
    if (model.empty() || random.chance(0.5)) {
      const int when = static_cast<int>(random.below(100));
      model[{when, next}] = timers.set(at(when), next);
      ++next;
    } else if (random.chance(0.5)) {
      auto victim = std::next(model.begin(), static_cast<std::ptrdiff_t>(random.below(model.size())));
      ASSERT_TRUE(timers.cancel(victim->second));
      ASSERT_FALSE(timers.cancel(victim->second));
      model.erase(victim);
    } else {
      ASSERT_EQ(timers.pop_due(at(1000)), model.begin()->first.second);
      model.erase(model.begin());
    }
    ASSERT_EQ(timers.size(), model.size());
  }
}

}  // namespace
}  // namespace weir
