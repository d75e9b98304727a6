// How near the order of jobs comes to what no schedule can beat; bench/order_bench.cpp has the figures for
// larger builds.
#include "tests/scenario/world.h"
#include "tests/support/random_dag.h"

namespace weir::test {
namespace {

// Milliseconds.
double makespan(const RandomDag& dag, int tokens, std::vector<std::uint32_t> weights) {
  Scenario s;
  s.tokens("process", tokens);
  for (std::size_t i = 0; i < dag.size(); ++i) {
    std::vector<std::string> depends;
    for (const auto dependency : dag.dependencies[i]) depends.push_back(fmt::format("e{}", dependency));
    s.element(fmt::format("e{}", i), depends, {.present = true});
    s.job(fmt::format("e{}/build", i)).takes(std::chrono::milliseconds(dag.milliseconds[i]));
  }
  s.weights = std::move(weights);
  EXPECT_TRUE(s.run({"build"}));
  return std::chrono::duration<double, std::milli>(s.summary().wall).count();
}

TEST(Makespan, by_recorded_durations_is_near_what_no_schedule_can_beat) {
  std::vector<double> ratios;
  for (const auto shape : kDagShapes)
    for (const int tokens : {2, 4, 8, 16})
      for (const std::uint64_t seed : {1, 2, 3}) {
        SCOPED_TRACE(fmt::format("{} tokens {} seed {}", to_string(shape), tokens, seed));
        const auto dag = random_dag(shape, 120, seed);
        const auto bounds = bounds_of(dag, tokens);
        const auto took = makespan(dag, tokens, dag.milliseconds);
        ratios.push_back(took / bounds.simple);
        EXPECT_GE(took, bounds.better * 0.999) << "then the bound is wrong";
        EXPECT_LE(took / bounds.better, 1.2);
      }
  std::sort(ratios.begin(), ratios.end());
  EXPECT_LE(ratios[ratios.size() / 2], 1.05);
}

TEST(Makespan, recorded_durations_are_better_than_depth_alone) {
  double with = 0, without = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto dag = random_dag(DagShape::random, 150, seed);
    with += makespan(dag, 4, dag.milliseconds);
    without += makespan(dag, 4, {});
  }
  EXPECT_LT(with, without);
}

}  // namespace
}  // namespace weir::test
