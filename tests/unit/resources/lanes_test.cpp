#include "resources/lanes.h"

#include <map>
#include <optional>

#include "core/base/random.h"

namespace weir {
namespace {

TEST(Lanes, one_job_per_group_readers_or_writers_and_in_order) {
  Lanes lanes;
  const auto lane = lanes.lane("mirror");
  const LaneAsk reader{lane, lanes.group("a"), Access::read}, same{lane, lanes.group("a"), Access::read},
      writer{lane, kNoGroup, Access::write}, late{lane, lanes.group("b"), Access::read};
  const auto r = lanes.ask({&reader, 1}, 1), s = lanes.ask({&same, 1}, 2), w = lanes.ask({&writer, 1}, 3),
             l = lanes.ask({&late, 1}, 4);
  EXPECT_EQ(lanes.admitted(), std::vector<std::uint32_t>{1});
  auto holds_r = lanes.take(r);
  EXPECT_EQ(lanes.admitted(), std::vector<std::uint32_t>{});  // same group
  holds_r.release();
  EXPECT_EQ(lanes.admitted(), std::vector<std::uint32_t>{2});
  auto holds_s = lanes.take(s);
  EXPECT_FALSE(lanes.is_admitted(l));  // compatible, but behind the writer
  holds_s.release();
  EXPECT_EQ(lanes.admitted(), std::vector<std::uint32_t>{3});
  lanes.withdraw(w);
  EXPECT_EQ(lanes.admitted(), std::vector<std::uint32_t>{4});
  lanes.take(l).release();
  EXPECT_TRUE(lanes.idle());
}

// Against a model that looks at everything anew each time. Jobs ask for one to three of three lanes.
TEST(Lanes, behave_as_the_naive_model) {
  struct Job {
    std::vector<LaneAsk> asks;
    Lanes::Ticket ticket;
    std::optional<Lanes::Hold> hold;
  };
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Lanes lanes;
    const LaneId ids[] = {lanes.lane("x"), lanes.lane("y"), lanes.lane("z")};
    std::map<std::uint32_t, Job> jobs;  // in the order of asking
    std::uint32_t next = 0;
    const auto model_admits = [&](std::uint32_t id) {
      for (const auto& ask : jobs[id].asks)
        for (const auto& [other_id, other] : jobs)
          for (const auto& theirs : other.asks) {
            if (theirs.lane != ask.lane || other_id == id) continue;
            if (!other.hold && other_id < id) return false;
            if (other.hold && theirs.access != ask.access) return false;
            if (other.hold && ask.group != kNoGroup && theirs.group == ask.group) return false;
          }
      return true;
    };
    for (int step = 0; step < 200; ++step) {
      const auto some = [&] {
        return std::next(jobs.begin(), static_cast<std::ptrdiff_t>(random.below(jobs.size())));
      };
      if (jobs.empty() || random.chance(0.4)) {
        Job job;
        for (const auto lane : ids)
          if (random.chance(0.5))
            job.asks.push_back({lane, GroupId{static_cast<std::uint32_t>(random.below(3))},
                                random.chance(0.6) ? Access::read : Access::write});
        if (job.asks.empty()) continue;
        job.ticket = lanes.ask(job.asks, next);
        jobs.emplace(next++, std::move(job));
      } else if (auto it = some(); it->second.hold) {
        it->second.hold->release();
        jobs.erase(it);
      } else if (lanes.is_admitted(it->second.ticket)) {
        it->second.hold = lanes.take(it->second.ticket);
      } else if (random.chance(0.2)) {
        lanes.withdraw(it->second.ticket);
        jobs.erase(it);
      }
      for (const auto& [id, job] : jobs) {
        if (job.hold) continue;
        ASSERT_EQ(lanes.is_admitted(job.ticket), model_admits(id)) << "seed " << seed << " step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace weir
