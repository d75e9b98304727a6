#include "core/build/job_weights.h"

#include "tests/unit/core/build/plan_fixture.h"

namespace weir {
namespace {

class Weights : public testing::Test {
 protected:
  Weights()
      : world(
            "[element.hello]\nkind = \"script\"\nconfig.commands = [\"a\"]\n"
            "[element.long]\nkind = \"script\"\nconfig.commands = [\"a\", \"b\", \"c\"]\n"
            "[element.lib]\nkind = \"make\"\n[element.conf]\nkind = \"autotools\"\n"
            "[element.full]\nkind = \"make\"\nsource = [{ kind = \"folder\" }]\n[element.all]\nkind = "
            "\"stack\"\n"
            "[element.rest]\nkind = \"script\"\n") {
    for (int i = 0; i < 64; ++i) world.folder.write("src/full/file" + std::to_string(i), "x");
    graph = world.whole({"hello", "long", "lib", "conf", "full", "all"});
    Diagnostics diagnostics;
    plan.emplace(*BuildPlan::make(world.input(graph), 6, world.store(), world.host(), diagnostics));
  }
  void took(std::string_view element, double seconds) {
    event::JobEnd end;
    end.element = element;
    end.queue = "build";
    end.result = "succeeded";
    end.seconds = seconds;
    DurationNotes notes;
    notes.on_event({1, {}, end});
    ASSERT_TRUE(notes.save(world.folder.path()));
  }
  JobWeights all() { return weigh_jobs(*plan, Durations::load(world.folder.path())); }
  std::uint32_t of(const JobWeights& weights, const std::string& name) {
    return weights.weights[index(world.ids(graph, {name}).front())];
  }

  PlanWorld world;
  ProjectGraph graph;
  std::optional<BuildPlan> plan;
};

TEST_F(Weights, a_first_run_goes_by_kind_and_size) {
  const auto weights = all();
  EXPECT_TRUE(weights.recorded.empty());
  EXPECT_LT(of(weights, "hello"), of(weights, "long"));
  EXPECT_LT(of(weights, "long"), of(weights, "lib"));
  EXPECT_LT(of(weights, "lib"), of(weights, "conf"));
  EXPECT_LT(of(weights, "lib"), of(weights, "full"));
  EXPECT_LT(of(weights, "all"), of(weights, "hello")) << "it runs nothing";
  EXPECT_EQ(of(weights, "rest"), 0u) << "it is not planned";
}

TEST_F(Weights, what_was_never_built_is_like_its_kind_and_else_like_all) {
  took("hello", 7);
  took("lib", 50);
  const auto weights = all();
  EXPECT_EQ(of(weights, "hello"), 7000u);
  EXPECT_EQ(of(weights, "long"), 7000u);
  EXPECT_EQ(of(weights, "full"), 50'000u);
  EXPECT_EQ(of(weights, "all"), 1u);
  EXPECT_EQ(of(weights, "conf"), 50'000u) << "the median of two is the larger one";
  EXPECT_EQ(weights.recorded[index(world.ids(graph, {"long"}).front())], 0u);
}

}  // namespace
}  // namespace weir
