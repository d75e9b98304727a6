// The allocator and the placer of one machine.
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
