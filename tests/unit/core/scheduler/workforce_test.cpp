#include "core/scheduler/workforce.h"

#include <algorithm>

#include "core/base/random.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

std::vector<WorkerSpec> three_workers() { return {{"a", 1}, {"b", 2}, {"c", 3}}; }

void expect_sums_of_a_walk(const Workforce& workers) {
  std::int64_t places = 0, idle = 0, busy = 0;
  bool any_usable = false;
  for (std::uint32_t w = 0; w < workers.size(); ++w) {
    const auto& worker = workers[WorkerId{w}];
    places += worker.usable() ? std::max(worker.slots, worker.busy()) : worker.busy();
    idle += worker.has_room() ? worker.slots - worker.busy() : 0;
    busy += worker.busy();
    any_usable |= worker.usable();
  }
  ASSERT_EQ(workers.places(), places);
  ASSERT_EQ(workers.idle(), idle);
  ASSERT_EQ(workers.busy(), busy);
  ASSERT_EQ(workers.any_usable(), any_usable);
}

TEST(Workforce, sums_follow_every_change) {
  VirtualClock clock;
  Workforce workers(three_workers(), clock, {2, 10s});
  Random random(1);
  std::uint32_t next_job = 0;
  for (int round = 0; round < 20'000; ++round) {
    const WorkerId id{static_cast<std::uint32_t>(random.below(workers.size()))};
    switch (random.below(7)) {
      case 0: workers.start(id, JobId{next_job++}); break;
      case 1:
        if (const auto& jobs = workers[id].jobs; !jobs.empty())
          workers.end(id, jobs[random.below(jobs.size())]);
        break;
      case 2:
        workers.change(id,
                       [&](Worker& worker) { worker.slots = static_cast<std::int64_t>(random.below(5)); });
        break;
      case 3: workers.change(id, [](Worker& worker) { worker.health.failure(); }); break;
      case 4: workers.change(id, [](Worker& worker) { worker.health.success(); }); break;
      case 5: workers.change(id, [](Worker& worker) { worker.state = Worker::State::gone; }); break;
      case 6: workers.bring_back(id); break;
    }
    expect_sums_of_a_walk(workers);
  }
}

TEST(Workforce, a_broken_worker_counts_again_when_its_timer_says_so) {
  VirtualClock clock;
  Workforce workers(three_workers(), clock, {1, 10s});
  workers.change(WorkerId{2}, [](Worker& worker) { worker.health.failure(); });
  EXPECT_EQ(workers.idle(), 3);
  clock.advance(10s);
  workers.change(WorkerId{2}, [](Worker& worker) { worker.breaker_timer = TimerQueue::Id::none; });
  EXPECT_EQ(workers.idle(), 6);
}

}  // namespace
}  // namespace weir
