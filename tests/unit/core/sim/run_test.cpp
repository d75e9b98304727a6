#include "core/sim/run.h"

#include <nlohmann/json.hpp>

namespace weir::sim {
namespace {

using Json = nlohmann::json;

Json small() {
  return Json::parse(
      R"({"workers": 40, "slots": 2, "seed": 1, "allocate": "load-based", "place": "cache-aware", "deps_timeout_ms": 2000,
    "classes": [{"name": "ci", "load": 70}, {"name": "dev", "load": 30}],
    "builds": {"count": 12, "jobs_each": 300, "shape": "layered", "depth": 6, "fan_in": 3,
               "duration_ms": {"median": 4000, "sigma": 1.0}, "arrival_s": 5, "share": {"ci": 0.6, "dev": 0.4}},
    "artifact_bytes": {"median": 1000000, "sigma": 1.5}, "bandwidth_bytes_per_s": 100000000,
    "faults": {"worker_mtbf_s": 900, "slow_fraction": 0.05}})");
}

Json run(const Json& input) {
  const auto out = simulate_run(input.dump());
  EXPECT_TRUE(out) << out.error().message;
  auto figures = out ? Json::parse(out->json) : Json();
  for (const auto* measured : {"decision_us", "wall_s", "peak_rss_bytes"}) {
    EXPECT_TRUE(figures.contains(measured));
    figures.erase(measured);
  }
  return figures;
}

TEST(SimRun, every_job_ends_once_and_not_before_the_bound) {
  for (const auto* place : {"cache-aware", "global", "local"})
    for (const auto* allocate : {"load-based", "none"}) {
      auto input = small();
      input["place"] = place;
      input["allocate"] = allocate;
      const auto figures = run(input);
      SCOPED_TRACE(figures.dump());
      EXPECT_EQ(figures.at("jobs"), 3600);
      EXPECT_GE(figures.at("makespan_s"), figures.at("bound_s"));
      EXPECT_GT(figures.at("utilisation"), 0.3);
      EXPECT_LE(figures.at("utilisation"), 1);
      EXPECT_GT(figures.at("lost_and_rerun"), 0);
      EXPECT_GE(figures.at("decisions"), 3600);
    }
}

TEST(SimRun, the_same_seed_gives_the_same_run) {
  EXPECT_EQ(run(small()), run(small()));
  auto other = small();
  other["seed"] = 2;
  EXPECT_NE(run(small()), run(other));
}

TEST(SimRun, faults_change_nothing_of_what_there_is_to_do) {
  auto without = small(), rare = small();
  without.erase("faults");
  rare["faults"] = {{"worker_mtbf_s", 1e11}};
  EXPECT_EQ(run(without), run(rare));
  EXPECT_EQ(run(small()).at("bound_s"), run(rare).at("bound_s"));
}

TEST(SimRun, workers_that_hold_the_inputs_move_fewer_bytes) {
  auto plain = small();
  plain["place"] = "global";
  const auto near = run(small()), anywhere = run(plain);
  EXPECT_GT(near.at("cache_hit"), anywhere.at("cache_hit"));
  EXPECT_LT(near.at("bytes_moved"), anywhere.at("bytes_moved"));
}

TEST(SimRun, one_worker_without_faults_reaches_the_bound) {
  const auto figures = run(Json::parse(R"({"workers": 1, "seed": 3, "classes": [{"name": "a", "load": 1}],
    "builds": {"count": 2, "jobs_each": 50, "depth": 5, "fan_in": 2, "duration_ms": {"median": 100, "sigma": 0.5}}})"));
  EXPECT_EQ(figures.at("makespan_s"), figures.at("bound_s"));
  EXPECT_EQ(figures.at("utilisation"), 1);
  EXPECT_EQ(figures.at("cache_hit"), 1);
  EXPECT_EQ(figures.at("bytes_moved"), 0);
}

TEST(SimRun, rebalancing_stops_jobs_of_a_class_that_took_all) {
  auto input = small();
  input["builds"]["duration_ms"]["median"] = 600000;
  input["builds"]["arrival_s"] = 20;
  input["rebalance"] = {{"threshold", 20}, {"min_duration_s", 5}};
  input.erase("faults");
  const auto figures = run(input);
  EXPECT_EQ(figures.at("jobs"), 3600);
  EXPECT_GT(figures.at("preempted"), 0);
}

// Six layers of jobs of 30 years: the clock must not run over.
TEST(SimRun, a_run_of_centuries_is_refused) {
  auto input = small();
  input.erase("faults");
  input["builds"]["duration_ms"] = {{"median", 1'000'000'000'000}};
  const auto out = simulate_run(input.dump());
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message, "$.builds: take more than a hundred years");
}

TEST(SimRun, a_thousand_builds_at_once_end_as_well) {
  auto input = small();
  input["builds"]["count"] = 1000;
  input["builds"]["jobs_each"] = 6;
  input["builds"]["arrival_s"] = 0;
  const auto figures = run(input);
  EXPECT_EQ(figures.at("jobs"), 6000);
  EXPECT_GT(figures.at("utilisation"), 0.6);
}

TEST(SimRun, the_page_stands_alone) {
  const auto out = simulate_run(small().dump());
  ASSERT_TRUE(out);
  EXPECT_NE(out->html.find("<svg"), std::string::npos);
  EXPECT_EQ(out->html.find("http"), std::string::npos);
  EXPECT_EQ(out->html.find("<script"), std::string::npos);
}

TEST(SimRun, says_which_value_is_wrong) {
  const auto problem = [](const std::string& pointer, const Json& value) {
    auto input = small();
    input[Json::json_pointer(pointer)] = value;
    const auto out = simulate_run(input.dump());
    return out ? "accepted" : out.error().message;
  };
  EXPECT_EQ(problem("/faults", {{"worker_mtbf_s", 1}, {"repair_s", 0}}),
            "$.faults.worker_mtbf_s: workers fail faster than jobs end");
  EXPECT_EQ(problem("/builds/duration_ms", {{"median", 1e15}, {"sigma", 0}}),
            "$.faults.worker_mtbf_s: workers fail faster than jobs end");
  EXPECT_EQ(problem("/workers", -1), "$.workers: is negative");
  EXPECT_EQ(problem("/place", "moon").substr(0, 8), "$.place:");
  EXPECT_EQ(problem("/builds/share/nobody", 1), "$.builds.share.nobody: is no class");
  EXPECT_EQ(problem("/builds/duration_ms/median", 0).substr(0, 29), "$.builds.duration_ms.median: ");
  EXPECT_EQ(problem("/builds/depth", 301), "$.builds.depth: must be from 1 to 300");
  EXPECT_EQ(problem("/builds/count", 1000000).substr(0, 9), "$.builds:");
}

}  // namespace
}  // namespace weir::sim
