// The allocator and the placer of one machine.
#include <algorithm>
#include <array>
#include <deque>

#include "core/base/random.h"
#include "core/placement/local_placer.h"
#include "core/placement/none_allocator.h"

namespace weir {
namespace {

TEST(NoneAllocator, starts_who_asked_first_while_there_is_a_place) {
  NoneAllocator allocator;
  allocator.set_workers(2, 2);
  for (const std::uint32_t build : {3u, 1u, 2u}) allocator.job_waiting(ClassId{0}, BuildId{build});
  EXPECT_EQ(allocator.next()->build, BuildId{3});
  allocator.job_started(ClassId{0}, BuildId{3});
  allocator.job_withdrawn(ClassId{0}, BuildId{1});
  EXPECT_EQ(allocator.next()->build, BuildId{2});
  allocator.job_started(ClassId{0}, BuildId{2});
  EXPECT_FALSE(allocator.next());
  allocator.job_requeued(ClassId{0}, BuildId{3});
  EXPECT_EQ(allocator.next()->build, BuildId{3});
  EXPECT_TRUE(allocator.to_stop(Time()).empty());
}

TEST(NoneAllocator, passes_over_who_is_blocked_and_gives_the_old_place_back) {
  NoneAllocator allocator;
  allocator.set_workers(9, 9);
  allocator.set_blocked(ClassId{0}, BuildId{1}, true);
  for (const std::uint32_t build : {1u, 2u, 1u, 2u}) allocator.job_waiting(ClassId{0}, BuildId{build});
  EXPECT_EQ(allocator.next()->build, BuildId{2});
  allocator.job_started(ClassId{0}, BuildId{2});
  allocator.set_blocked(ClassId{0}, BuildId{2}, true);
  EXPECT_FALSE(allocator.next());
  allocator.set_blocked(ClassId{0}, BuildId{1}, false);
  allocator.set_blocked(ClassId{0}, BuildId{2}, false);
  std::vector<std::uint32_t> order;
  while (const auto next = allocator.next()) {
    order.push_back(index(next->build));
    allocator.job_started(next->work_class, next->build);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 1, 2}));
}

TEST(NoneAllocator, has_one_class_and_no_settings) {
  NoneAllocator allocator;
  EXPECT_EQ(allocator.class_name(allocator.class_of("anybody")), "default");
  EXPECT_EQ(allocator.settings(), "{}");
  EXPECT_FALSE(allocator.set("loads", "{}"));
}

// Against a plain list: the first job of a build that is not blocked starts, one that was stopped goes to the
// front.
TEST(NoneAllocator, random_days_are_first_come_first_served) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    NoneAllocator allocator;
    std::deque<std::uint32_t> line;
    std::array<std::int64_t, 4> running{};
    std::array<bool, 4> blocked{};
    std::int64_t idle = 5;
    allocator.set_workers(5, 5);
    const auto drop_first = [&](std::uint32_t build) {
      line.erase(std::find(line.begin(), line.end(), build));
    };
    for (int step = 0; step < 300; ++step) {
      const auto b = static_cast<std::uint32_t>(random.below(4));
      const bool waits = std::find(line.begin(), line.end(), b) != line.end();
      switch (random.below(6)) {
        case 0:
        case 1:
          line.push_back(b);
          allocator.job_waiting(ClassId{0}, BuildId{b});
          break;
        case 2:
          if (!waits) break;
          drop_first(b);
          allocator.job_withdrawn(ClassId{0}, BuildId{b});
          break;
        case 3:
          blocked[b] = !blocked[b];
          allocator.set_blocked(ClassId{0}, BuildId{b}, blocked[b]);
          break;
        default:
          if (running[b] == 0) break;
          --running[b];
          ++idle;
          if (random.chance(0.5)) {
            allocator.job_ended(ClassId{0}, BuildId{b});
          } else {
            allocator.job_requeued(ClassId{0}, BuildId{b});
            line.push_front(b);
          }
      }
      const auto first = std::find_if(line.begin(), line.end(), [&](auto build) { return !blocked[build]; });
      const auto next = allocator.next();
      ASSERT_EQ(next.has_value(), idle > 0 && first != line.end()) << "seed " << seed << " step " << step;
      if (!next) continue;
      ASSERT_EQ(index(next->build), *first) << "seed " << seed << " step " << step;
      allocator.job_started(next->work_class, next->build);
      --idle;
      ++running[*first];
      line.erase(first);
    }
  }
}

TEST(LocalPlacer, is_one_queue_for_all) {
  LocalPlacer placer;
  const Time now{};
  EXPECT_FALSE(placer.pick(WorkerId{5}, now));
  EXPECT_TRUE(placer.schedule(ResultId{1}, {}, now));
  EXPECT_FALSE(placer.schedule(ResultId{1}, {}, now));
  EXPECT_TRUE(placer.schedule(ResultId{2}, {}, now));
  EXPECT_EQ(placer.next_woken(), WorkerId{5});
  EXPECT_EQ(placer.pick(WorkerId{5}, now)->job, ResultId{1});
  EXPECT_TRUE(placer.withdraw(ResultId{2}, now));
  EXPECT_FALSE(placer.pick(WorkerId{6}, now));
  EXPECT_TRUE(placer.complete(WorkerId{5}, ResultId{1}, true, now));
  EXPECT_FALSE(placer.complete(WorkerId{5}, ResultId{1}, true, now));
  EXPECT_EQ(placer.locate(ResultId{1}), WorkerId{5});
}

TEST(LocalPlacer, jobs_of_a_removed_worker_wait_again) {
  LocalPlacer placer;
  const Time now{};
  placer.schedule(ResultId{1}, {}, now);
  placer.schedule(ResultId{2}, {}, now);
  ASSERT_TRUE(placer.pick(WorkerId{0}, now));
  placer.add_artifact(WorkerId{0}, ResultId{9}, now);
  EXPECT_EQ(placer.remove_worker(WorkerId{0}, now), std::vector<ResultId>{ResultId{1}});
  EXPECT_FALSE(placer.locate(ResultId{9}));
  EXPECT_EQ(placer.pick(WorkerId{1}, now)->job, ResultId{2});
  EXPECT_EQ(placer.pick(WorkerId{1}, now)->job, ResultId{1});
}

}  // namespace
}  // namespace weir
