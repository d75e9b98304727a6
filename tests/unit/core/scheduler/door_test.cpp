#include "core/scheduler/door.h"

#include <atomic>
#include <thread>

namespace weir {
namespace {

TEST(Door, wakes_once_until_taken_and_again_after_that) {
  Door door;
  int woken = 0;
  door.on_wake([&] { ++woken; });
  door.post(input::Quit{});
  door.post(input::Quit{});
  EXPECT_EQ(woken, 1);
  std::vector<LoopInput> taken;
  door.take(taken);
  EXPECT_EQ(taken.size(), 2u);
  EXPECT_TRUE(door.empty());
  door.post(input::Quit{});
  EXPECT_EQ(woken, 2);
}

// Several threads post while one takes whenever it is woken: nothing is lost, and each thread's order is
// kept.
TEST(Door, loses_nothing_and_keeps_each_threads_order) {
  constexpr std::uint32_t kThreads = 4, kEach = 20'000;
  Door door;
  std::atomic<std::uint32_t> wakes{0};
  door.on_wake([&] {
    ++wakes;
    wakes.notify_one();
  });
  std::vector<std::thread> posters;
  for (std::uint32_t t = 0; t < kThreads; ++t)
    posters.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < kEach; ++i) door.post(input::CancelJob{JobId{t * kEach + i}});
    });
  std::vector<std::uint32_t> next(kThreads, 0);
  std::vector<LoopInput> taken;
  std::uint32_t seen = 0, count = 0;
  while (count < kThreads * kEach) {
    wakes.wait(seen);
    seen = wakes;
    door.take(taken);
    for (const auto& input : taken) {
      const auto id = index(std::get<input::CancelJob>(input).job);
      ASSERT_EQ(id % kEach, next[id / kEach]++);
      ++count;
    }
  }
  for (auto& poster : posters) poster.join();
  EXPECT_TRUE(door.empty());
}

}  // namespace
}  // namespace weir
