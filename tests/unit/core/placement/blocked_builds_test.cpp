// Blocked builds: the allocator by load answers as if nothing of them waited.
#include "core/base/random.h"
#include "core/placement/load_allocator.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kBuildsPerClass = 3;

struct Build {
  std::int64_t running = 0, waiting = 0;
  bool is_blocked = false;
};

// A small cluster beside the allocator, with the sums that allocate() takes.
struct Day {
  explicit Day(std::uint64_t seed) : random(seed) {
    settings.loans = random.chance(0.5) ? Loans::plain : Loans::accounted;
    settings.threshold = Decimal(random.below(40));
    settings.min_duration = Duration::zero();
    const auto classes = 1 + random.below(5);
    for (std::size_t c = 0; c < classes; ++c) {
      loads.push_back(Decimal(random.chance(0.2) ? 0 : random.below(60)));
      settings.classes.push_back({std::to_string(c), loads.back()});
    }
    builds.resize(classes * kBuildsPerClass);
    idle = workers = static_cast<std::int64_t>(1 + random.below(random.chance(0.5) ? 6 : 40));
    allocator = std::move(*LoadAllocator::make(settings));
    allocator->set_workers(workers, idle);
  }

  ClassId class_of(std::size_t build) const {
    return ClassId{static_cast<std::uint32_t>(build / kBuildsPerClass)};
  }

  std::vector<ClassJobs> counted() const {
    std::vector<ClassJobs> out(loads.size());
    for (std::size_t b = 0; b < builds.size(); ++b) {
      out[b / kBuildsPerClass].running += builds[b].running;
      if (!builds[b].is_blocked) out[b / kBuildsPerClass].waiting += builds[b].waiting;
    }
    return out;
  }

  Allocation expected(const std::vector<ClassJobs>& jobs, bool over_for_long) const {
    return allocate({workers, idle, settings.loans, settings.threshold, over_for_long, loads, jobs});
  }

  // Something happens to a build.
  void step() {
    const auto b = random.below(builds.size());
    const auto c = class_of(b);
    const BuildId id{static_cast<std::uint32_t>(b)};
    auto& build = builds[b];
    const auto what = random.below(10);
    if (what < 4) {
      ++build.waiting;
      allocator->job_waiting(c, id);
    } else if (what < 5 && build.waiting > 0) {
      --build.waiting;
      allocator->job_withdrawn(c, id);
    } else if (what < 7) {
      build.is_blocked = !build.is_blocked;
      allocator->set_blocked(c, id, build.is_blocked);
    } else if (build.running > 0) {
      --build.running;
      ++idle;
      if (what < 9) {
        allocator->job_ended(c, id);
      } else {
        ++build.waiting;
        allocator->job_requeued(c, id);
      }
    }
  }

  // All that may start does; returns how many of each class.
  std::vector<std::int64_t> start_all() {
    std::vector<std::int64_t> started(loads.size(), 0);
    while (const auto next = allocator->next()) {
      auto& build = builds[index(next->build)];
      EXPECT_FALSE(build.is_blocked);
      EXPECT_GT(build.waiting, 0);
      if (build.is_blocked || build.waiting == 0) return started;
      ++started[index(next->work_class)];
      --build.waiting;
      ++build.running;
      --idle;
      allocator->job_started(next->work_class, next->build);
    }
    return started;
  }

  Random random;
  LoadSettings settings;
  std::vector<Decimal> loads;
  std::vector<Build> builds;
  std::int64_t workers = 0, idle = 0;
  std::unique_ptr<LoadAllocator> allocator;
};

TEST(BlockedBuilds, starts_are_those_of_allocate_without_their_jobs) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Day day(seed);
    for (int round = 0; round < 60; ++round) {
      const auto steps = 1 + day.random.below(8);
      for (std::size_t i = 0; i < steps; ++i) day.step();
      const auto jobs = day.counted();
      const auto expected = day.expected(jobs, false);
      ASSERT_EQ(day.allocator->target(), expected.target) << "seed " << seed << " round " << round;
      ASSERT_EQ(day.allocator->spread(), expected.spread) << "seed " << seed << " round " << round;
      ASSERT_EQ(day.start_all(), expected.start) << "seed " << seed << " round " << round;
    }
  }
}

TEST(BlockedBuilds, nobody_is_stopped_for_their_sake) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Day day(seed * 31);
    for (int i = 0; i < 80; ++i) {
      day.step();
      if (day.random.chance(0.3)) day.start_all();
    }
    const auto expected = day.expected(day.counted(), true);
    std::vector<std::int64_t> stop(day.loads.size(), 0);
    for (const auto& one : day.allocator->to_stop(Time())) stop[index(one.work_class)] = one.jobs;
    ASSERT_EQ(stop, expected.stop) << "seed " << seed;
  }
}

TEST(BlockedBuilds, jobs_that_come_while_it_is_blocked_wait_with_it) {
  LoadSettings settings;
  settings.classes = {{"ci", Decimal(1)}};
  auto allocator = std::move(*LoadAllocator::make(settings));
  allocator->set_workers(4, 4);
  allocator->set_blocked(ClassId{0}, BuildId{0}, true);
  allocator->job_waiting(ClassId{0}, BuildId{0});
  allocator->job_waiting(ClassId{0}, BuildId{0});
  EXPECT_FALSE(allocator->next());
  EXPECT_EQ(allocator->jobs(ClassId{0}).waiting, 0);
  allocator->set_blocked(ClassId{0}, BuildId{0}, false);
  EXPECT_EQ(allocator->jobs(ClassId{0}).waiting, 2);
  EXPECT_EQ(allocator->next(), (Allocator::Start{ClassId{0}, BuildId{0}}));
}

}  // namespace
}  // namespace weir
