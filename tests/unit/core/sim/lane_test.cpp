// Lanes of the simulator against a walk through every millisecond.
#include "core/sim/lane.h"

#include <nlohmann/json.hpp>

#include "core/base/random.h"

namespace weir::sim {
namespace {

using Json = nlohmann::json;

struct Job {
  std::string group;
  bool write;
  int duration, at;
  int start = -1, end = -1;
};

std::vector<Job> walked(std::vector<Job> jobs, int servers) {
  std::vector<std::size_t> order(jobs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return jobs[a].at < jobs[b].at; });
  std::size_t next = 0;
  for (int now = 0; next < order.size(); ++now) {
    for (;;) {
      if (next == order.size() || jobs[order[next]].at > now) break;
      auto& first = jobs[order[next]];
      int running = 0;
      bool held = false;
      for (const auto& other : jobs) {
        if (other.start < 0 || other.end <= now) continue;
        ++running;
        held |= other.write != first.write || (!first.group.empty() && other.group == first.group);
      }
      if (held || running >= servers) break;
      first.start = now;
      first.end = now + first.duration;
      ++next;
    }
  }
  return jobs;
}

TEST(SimLane, starts_as_a_walk_through_every_millisecond_does) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Random random(seed);
    const int servers = 1 + static_cast<int>(random.below(4));
    std::vector<Job> jobs;
    Json input{{"servers", servers}, {"jobs", Json::array()}};
    for (auto n = random.below(12); n > 0; --n) {
      const auto group = random.below(4);
      Job job{group == 0 ? "" : "g" + std::to_string(group), random.chance(0.3),
              static_cast<int>(random.below(6)), static_cast<int>(random.below(15))};
      Json one{{"id", "j" + std::to_string(n)},
               {"access", job.write ? "write" : "read"},
               {"duration_ms", job.duration},
               {"at_ms", job.at}};
      if (!job.group.empty()) one["group"] = job.group;
      input["jobs"].push_back(one);
      jobs.push_back(job);
    }
    const auto expected = walked(jobs, servers);
    const auto text = simulate_lane(input.dump());
    ASSERT_TRUE(text) << text.error().message;
    const auto got = Json::parse(*text);
    int makespan = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_EQ(got.at("jobs")[i].at("start_ms"), expected[i].start) << "seed " << seed << " " << input;
      ASSERT_EQ(got.at("jobs")[i].at("end_ms"), expected[i].end) << "seed " << seed << " " << input;
      makespan = std::max(makespan, expected[i].end);
    }
    ASSERT_EQ(got.at("makespan_ms"), makespan) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir::sim
